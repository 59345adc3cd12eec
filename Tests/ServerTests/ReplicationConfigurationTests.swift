import Access
import Gateway
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The configuration of replications")
struct ReplicationConfigurationTests {
    private func replication(_ lines: String, environment: [String: String] = [:]) throws -> ReplicationDefinition {
        let indented = lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let configuration = try shop(
            "collections: { sales.orders: {} }\nreplications:\n  old:\n\(indented)", environment: environment)
        return try #require(configuration.databases.first?.replications["old"])
    }

    private func complaint(_ lines: String) throws -> ConfigurationError? {
        do {
            _ = try replication(lines)
            return nil
        } catch let error as ConfigurationError {
            return error
        }
    }

    @Test("Missing keys have defaults")
    func defaults() throws {
        let definition = try replication("remote: wss://example.com:4984/shop/")
        #expect(definition == ReplicationDefinition(target: .server(try RemoteAddress("wss://example.com:4984/shop"))))
        #expect(definition.direction == .pushAndPull && !definition.continuous && definition.purgesOnRemoval)
    }

    @Test("Every key for a 2.x+ server is read")
    func modern() throws {
        let folder = try TemporaryFolder()
        let pin = try folder.write("PEM", to: "pin.pem")
        let resolver = try folder.write("function (conflict) { return null; }", to: "resolver.js")
        let definition = try replication(
            """
            remote: ws://example.com/shop
            direction: pull
            continuous: true
            channels: [a, b]
            filter: { javascript: "function (doc) { return true; }" }
            docIDs: [x]
            collections: { sales.orders: old.orders }
            auth: { basic: { user: u, password: "${SECRET}" } }
            headers: { X-App: "1" }
            heartbeat: 30s
            maxAttempts: 3
            maxAttemptWait: 2m
            pinnedCertificate: \(pin)
            selfSignedOnly: false
            resolver: \(resolver)
            autoPurge: false
            deltaSync: true
            versions: true
            networkInterface: eth0
            """, environment: ["SECRET": "s3cret"])
        #expect(definition.direction == .pull && definition.continuous)
        #expect(definition.channels == ["a", "b"] && definition.documentIDs == ["x"])
        #expect(definition.filter == ReplicationFilterChoice(.javaScript("function (doc) { return true; }")))
        #expect(
            definition.collections == [
                ReplicatedName(CollectionName(scope: "sales", name: "orders"), remote: CollectionName(scope: "old", name: "orders"))
            ])
        #expect(definition.credentials == .basic(user: "u", password: Secret("s3cret")))
        #expect(definition.headers == ["X-App": Secret("1")])
        #expect(definition.heartbeat == 30 && definition.maxAttempts == 3 && definition.maxAttemptWait == 120)
        #expect(definition.pinnedCertificate == Array("PEM".utf8) && !definition.selfSignedOnly)
        #expect(definition.resolver == .javaScript("function (conflict) { return null; }") && !definition.purgesOnRemoval)
        #expect(definition.usesDeltas == true && definition.prefersVersions == true && definition.networkInterface == "eth0")
        #expect(!"\(definition)".contains("s3cret"), "\(definition)")
    }

    @Test(
        "Every kind of login at a 1.x server is read",
        arguments: [
            ("{ basic: { user: u, password: p } }", ReplicationCredentials.basic(user: "u", password: Secret("p"))),
            ("{ session: abc }", .session(id: Secret("abc"), cookieName: "SyncGatewaySession")),
            ("{ session: { id: abc, cookieName: c } }", .session(id: Secret("abc"), cookieName: "c")),
            ("{ facebook: { token: t } }", .facebook(token: Secret("t"))),
            ("{ persona: { assertion: a } }", .persona(assertion: Secret("a"))),
            ("{ cookie: { name: n, value: v } }", .cookie(RemoteCookie(name: "n", value: Secret("v")))),
        ])
    func credentials(text: String, credentials: ReplicationCredentials) throws {
        #expect(try replication("remote: https://example.com/shop\nauth: \(text)").credentials == credentials)
    }

    @Test("A cookie is read with all attributes of an application server, and a time with Sync Gateway's nanoseconds")
    func cookie() throws {
        let definition = try replication(
            """
            remote: https://example.com/shop
            auth:
              cookie:
                name: SyncGatewaySession
                value: 904ac010862f37c8dd99015a33ab5a3565fd8447
                path: /
                expires: "2015-09-23T17:27:17.555065803+01:00"
                secure: true
                httpOnly: true
            """)
        var cookie = RemoteCookie(name: "SyncGatewaySession", value: Secret("904ac010862f37c8dd99015a33ab5a3565fd8447"))
        cookie.path = "/"
        cookie.expires = 1_443_025_637
        cookie.isSecure = true
        cookie.isHTTPOnly = true
        #expect(definition.credentials == .cookie(cookie))
    }

    @Test(
        "A mistake is reported with its place",
        arguments: [
            ("direction: push", "replications.old", "remote"), ("remote: wss://h/shop\nremtoe: x", "old.remtoe", "`remote`"),
            ("remote: file:///etc/passwd", "old.remote", "file:"), ("remote: ftp://h/shop", "old.remote", "ftp:"),
            ("remote: wss://h", "old.remote", "names no database"), ("remote: 'no url'", "old.remote", "URL"),
            ("remote: 'wss://h/shop?x=1'", "old.remote", "query"), ("remote: wss://h/shop\ndirection: both", "old.direction", "`push`"),
            ("remote: wss://h/shop\nauth: { facebook: { token: t } }", "old", "Facebook"),
            ("remote: https://h/shop\nresolver: local-wins", "old", "resolver"),
            ("remote: https://h/shop\ndeltaSync: true", "old", "delta"),
            ("remote: https://h/shop\nversions: true", "old", "versions"),
            ("remote: https://h/shop\nnetworkInterface: eth0", "old", "interface"),
            ("remote: wss://u:p@h/shop\nauth: { session: s }", "old", "one place"),
            ("remote: wss://h/shop\nfilter: { name: app/f }", "old", "app/f"),
            ("remote: wss://h/shop\nfilter: { name: app/f, javascript: f }", "old.filter", "either"),
            ("remote: wss://h/shop\ncollections: [sales.other]", "old.collections[1]", "sales.other"),
            ("remote: wss://h/shop\nresolver: mine", "old.resolver", "local-wins"),
            ("remote: wss://h/shop\nresolver: /nowhere/x.js", "old.resolver", "/nowhere/x.js"),
            ("remote: wss://h/shop\nauth: {}", "old.auth", "one of"),
            ("remote: wss://h/shop\nheaders: { 'a b': c }", "old.headers.a b", "header"),
            ("remote: wss://h/shop\nheartbeat: 0s", "old.heartbeat", "time"),
            ("remote: wss://h/shop\nmaxAttempts: -1", "old.maxAttempts", "0"),
        ])
    func complaints(lines: String, path: String, word: String) throws {
        let error = try #require(try complaint(lines))
        #expect(error.path.hasSuffix(path), "\(error)")
        #expect(error.message.contains(word), "\(error)")
    }

    @Test("No address shows its password")
    func addresses() throws {
        let address = try RemoteAddress("WSS://waldo:s%40crit@Example.com:1/shop")
        #expect(address.url == "wss://Example.com:1/shop" && !address.isLegacy)
        #expect(address.credentials?.user == "waldo" && address.credentials?.password.revealed == "s@crit")
        #expect(address.description == "wss://waldo:xxxxx@Example.com:1/shop")
        #expect(!String(reflecting: address).contains("crit"))
        #expect(address.revealed == "wss://waldo:s%40crit@Example.com:1/shop")
    }

    @Test("A filter and a resolver that do not compile are reported before the bridge serves")
    func scripts() async throws {
        for line in ["filter: { javascript: \"function (\" }", "resolver: { javascript: \"function (\" }"] {
            let configuration = try shop("replications:\n  old:\n    remote: wss://h/shop\n    \(line)")
            let error = await #expect(throws: ConfigurationError.self) { try await ConfigurationScripts.validate(configuration) }
            #expect(error?.path.hasPrefix("databases.shop.replications.old.") == true)
        }
    }
}
