import Discovery
import Gateway
import HTTP
import HTTPListener
import Stores
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("dualgauge.yaml")
struct ConfigurationTests {
    @Test("A database with only a store gets the documented defaults")
    func defaults() throws {
        let configuration = try shop()
        #expect(configuration.listen == ListenConfiguration())
        #expect(configuration.listen.publicAddress.description == "127.0.0.1:4984")
        #expect(configuration.listen.adminAddress.description == "127.0.0.1:4985")
        #expect(configuration.serverHeader == "Couchbase Sync Gateway/3.2 (Dualgauge \(ServerVersion.current))")
        #expect(configuration.databasesFolder == "/etc/bridge/databases" && !configuration.allowsFlush)
        let served = try #require(configuration.databases.first)
        #expect(served.store == .folder("/etc/bridge/shop.dualgauge"))
        #expect(!served.allowsFlush)
        let database = served.configuration
        #expect(database.name == "shop")
        #expect(database.guest == GuestConfiguration())
        #expect(!database.guest.isEnabled)
        #expect(database.collections.isEmpty && database.routes.isEmpty)
        #expect(database.defaultCollection == .auto)
        #expect(database.conflicts == .keep)
        #expect(database.departures == .silent)
        #expect(database.limits == DatabaseLimits())
    }

    @Test("A trusted proxy is an address or a network", arguments: ["proxy.example.com", "10.0.0.0/33", "''"])
    func trustedProxies(text: String) throws {
        let error = try #require(try complaint { try parse("listen: { trustedProxies: [\(text)] }\ndatabases: { shop: { store: s } }") })
        #expect(error.code == .badValue && error.path == "listen.trustedProxies" && error.message.contains("10.0.0.0/8"))
    }

    @Test("The drain time has a limit")
    func drainTime() throws {
        let error = try #require(try complaint { try parse("listen: { drainTime: 11m }\ndatabases: { shop: { store: s } }") })
        #expect(error.code == .badValue && error.path == "listen.drainTime" && error.message.contains("600s"))
    }

    @Test("Every key is read")
    func everything() throws {
        let configuration = try parse(
            """
            serverHeader: Couchbase Sync Gateway/2.8
            databasesFolder: ../made
            allowFlush: true
            listen:
              public: "[::1]:5984"
              admin: :5985
              tls: { certificate: server.pem, key: /keys/server.key, clientCA: ../clients.pem, minimumVersion: 1.0 }
              trustedProxies: ["::1", 10.0.0.0/8]
              blipCompression: 9
              drainTime: 10m
              discovery: { name: shop bridge, type: _shop._tcp }
            databases:
              shop:
                store: /data/shop.dualgauge
                allowFlush: true
                guest: { enabled: true, channels: ["*", a] }
                collections:
                  sales.orders: { sync: "function (doc) { channel(doc.owner) }" }
                  sales.customers: {}
                  catalog.products: { legacy: hidden }
                  notes: { legacy: visible }
                defaultCollection: remainder
                conflicts: refuse
                departures: notify
                deltaSync: true
                limits: { documentSize: 2MiB, attachmentSize: 3GiB, revisionDepth: 50, protectedDepth: 60, protectionDays: 7, recentBodies: 0 }
                routes:
                  - { to: sales.orders, when: { property: type, equals: order } }
              other:
                store: other.dualgauge
            """)
        #expect(configuration.serverHeader == "Couchbase Sync Gateway/2.8")
        #expect(configuration.databasesFolder == "/etc/made" && configuration.allowsFlush)
        #expect(configuration.databases.map(\.allowsFlush) == [true, false])
        #expect(configuration.listen.publicAddress == ListenAddress(host: "::1", port: 5984))
        #expect(configuration.listen.adminAddress == ListenAddress(host: "0.0.0.0", port: 5985))
        #expect(configuration.listen.blipCompression == 9)
        #expect(configuration.listen.drainTime == .seconds(600))
        #expect(configuration.listen.discovery?.name == "shop bridge" && configuration.listen.discovery?.type == ServiceType("_shop._tcp"))
        #expect(configuration.listen.trustedProxies == TrustedProxies(try ["::1", "10.0.0.0/8"].map { try #require(AddressRange($0)) }))
        #expect(
            configuration.listen.tls
                == TLSFiles(
                    certificate: "/etc/bridge/server.pem", key: "/keys/server.key", clientCA: "/etc/clients.pem", minimumVersion: .tls10))
        #expect(configuration.databases.map(\.configuration.name) == ["shop", "other"])
        #expect(configuration.databases.map { "\($0.store)" } == ["/data/shop.dualgauge", "/etc/bridge/other.dualgauge"])
        let shop = try #require(configuration.databases.first?.configuration)
        #expect(shop.guest == GuestConfiguration(isEnabled: true, channels: ["*", "a"]))
        #expect(
            shop.collections == [
                CollectionConfiguration(
                    name: CollectionName(scope: "sales", name: "orders"), syncFunction: "function (doc) { channel(doc.owner) }",
                    isHidden: false),
                CollectionConfiguration(name: CollectionName(scope: "sales", name: "customers"), isHidden: false),
                CollectionConfiguration(name: CollectionName(scope: "catalog", name: "products"), isHidden: true),
                CollectionConfiguration(name: CollectionName(scope: "_default", name: "notes"), isHidden: false),
            ])
        #expect(shop.defaultCollection == .remainder)
        #expect(shop.conflicts == .refuse)
        #expect(shop.departures == .notify)
        #expect(shop.deltaSync)
        #expect(shop.limits.documentSize == 2 << 20)
        #expect(shop.limits.attachmentSize == 3 << 30)
        #expect(shop.limits.revisionDepth == 50)
        #expect(shop.limits.protectedDepth == 60)
        #expect(shop.limits.protectionDays == 7)
        #expect(shop.limits.recentBodies == 0)
        #expect(shop.routes.count == 1)
    }

    @Test("Policies are read by their names", arguments: ["keep", "resolve", "refuse"])
    func conflicts(_ name: String) throws {
        #expect(try shop("conflicts: \(name)").databases.first?.configuration.conflicts.rawValue == name)
    }

    @Test(
        "Booleans are read as YAML 1.1 and 1.2 write them",
        arguments: [("true", true), ("yes", true), ("on", true), ("false", false), ("no", false), ("off", false)])
    func bools(_ text: String, _ value: Bool) throws {
        #expect(try shop("guest: { enabled: \(text) }").databases.first?.configuration.guest.isEnabled == value)
    }

    @Test("Variables of the environment are replaced, several in one text and anywhere in it")
    func variables() throws {
        let environment = ["HOME_OF": "/srv", "N": "7", "PORT": "6000", "ON": "true", "EMPTY": ""]
        let configuration = try parse(
            """
            listen: { public: "127.0.0.1:${PORT}" }
            databases:
              shop:
                store: ${HOME_OF}/a${N}${EMPTY}b${N}.dualgauge
                guest: { enabled: "${ON}", channels: ["c${N}", "$N", "{N}"] }
            """, environment: environment)
        #expect(configuration.listen.publicAddress.port == 6000)
        #expect(configuration.databases.first?.store == .folder("/srv/a7b7.dualgauge"))
        #expect(configuration.databases.first?.configuration.guest == GuestConfiguration(isEnabled: true, channels: ["c7", "$N", "{N}"]))
    }

    @Test("Variables in the value of a variable are not replaced")
    func nestedVariable() throws {
        let configuration = try shop("guest: { channels: [\"${A}\"] }", environment: ["A": "${B}", "B": "b"])
        #expect(configuration.databases.first?.configuration.guest.channels == ["${B}"])
    }

    @Test("A variable that is not set is reported, with its place")
    func missingVariable() throws {
        let error = try #require(try complaint { try shop("guest: { channels: [\"${NOBODY}\"] }") })
        #expect(error.code == .missingVariable)
        #expect(error.path == "databases.shop.guest.channels[1]")
        #expect(error.line == 4)
        #expect(error.message.contains("`NOBODY`"))
    }

    @Test("A variable without its closing brace is refused")
    func openVariable() throws {
        let error = try #require(try complaint { try shop("guest: { channels: [\"${NOBODY\"] }") })
        #expect(error.code == .badValue)
        #expect(error.message.contains("closing brace"))
    }

    @Test(
        "Database names follow CouchDB's rule",
        arguments: ["a", "shop", "a0_$()+-", "shop-2", String(repeating: "a", count: 240)])
    func goodNames(_ name: String) throws {
        #expect(try parse("databases: { \"\(name)\": { store: s } }").databases.first?.configuration.name == name)
    }

    @Test(
        "Other database names are refused with the rule",
        arguments: ["Shop", "0a", "_a", "a.b", "a/b", "ä", "a b", "aB", "", "-a", String(repeating: "a", count: 241)])
    func badNames(_ name: String) throws {
        let error = try #require(try complaint { try parse("databases: { \"\(name)\": { store: s } }") })
        #expect(error.code == .badValue)
        #expect(error.message.contains("is not a database name") && error.message.contains("lower-case"))
    }

    @Test("The announcement in the local network has the machine's name unless it is given; mistakes have their place")
    func discovery() throws {
        func read(_ text: String) throws -> DiscoverySettings? {
            try parse("listen: { discovery: { \(text) } }\ndatabases: { shop: { store: shop.dualgauge } }").listen.discovery
        }
        #expect(try read("")?.name == DiscoverySettings.hostName && read("")?.type == .bridge)
        for text in ["name: \"\"", "name: \(String(repeating: "x", count: 64))", "type: shop", "names: x"] {
            let error = try #require(throws: ConfigurationError.self) { try read(text) }
            #expect(error.path.hasPrefix("listen.discovery"), "\(error)")
        }
    }
}
