import Foundation
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("All mistakes of a configuration at once")
struct FindingTests {
    /// The findings of a check, as `line:column severity path`.
    private func findings(_ text: String, files: [String: String] = [:]) async throws -> [String] {
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.write(text, to: name) }
        let path = try folder.write(text, to: "dualgauge.yaml")
        return await ConfigurationFile.check(path, environment: [:]).findings.map { finding in
            let file = finding.place.file == path ? "" : "\(URL(fileURLWithPath: finding.place.file ?? "?").lastPathComponent) "
            return "\(file)\(finding.place.line ?? 0):\(finding.place.column ?? 0) \(finding.severity) \(finding.path)"
        }
    }

    @Test("Mistakes of every kind have their places, in the order of their lines")
    func everything() async throws {
        let found = try await findings(
            """
            listen:
              public: 127.0.0.1:4984
              admin: "127.0.0.1:4984"
              tls: { certificate: none.pem, key: none.key }
              blipCompression: 12
            databases:
              shop:
                store: ./shop.dualgauge
                sync: "function (doc) {}"
                conflicts: keeep
                collections:
                  sales.orders:
                    sync: |
                      function (doc) {
                        channel(doc.owner;
                      }
                  sales.customers:
                    sync: "channel(doc.channels)"
                routes:
                  - { to: nowhere.at, when: { property: type, equals: order } }
                  - { to: sales.orders, when: { idPattern: "(" } }
                replications:
                  legacy: { remote: "gopher://x", continuous: maybe }
                  other: { direction: sideways, resolver: { javascript: "function (" } }
                cutover: { legacy: legacy, stage: nine }
                authenticators: { google: { clockSkew: long }, upstream: { cookieName: "a b" }, oidc: { register: 5 } }
                guest: { enabled: maybe, channels: [[a]] }
              other:
                store: ./shop.dualgauge
                routesFile: none.yaml
                users: { anna: { roles: staff, password: "${NOBODY}" } }
              shop:
                store: x
            """)
        #expect(
            found == [
                "3:3 error listen.admin", "4:10 error listen.tls.certificate", "4:33 error listen.tls.key",
                "5:3 error listen.blipCompression",
                "9:5 error databases.shop.sync", "10:5 error databases.shop.conflicts",
                "15:30 error databases.shop.collections.sales.orders.sync", "18:23 error databases.shop.collections.sales.customers.sync",
                "20:9 error databases.shop.routes[1]", "21:9 error databases.shop.routes[2]",
                "23:17 error databases.shop.replications.legacy.remote", "23:39 error databases.shop.replications.legacy.continuous",
                "24:7 error databases.shop.replications.other", "24:16 error databases.shop.replications.other.direction",
                "24:72 error databases.shop.replications.other.resolver.javascript", "25:32 error databases.shop.cutover.stage",
                "26:23 error databases.shop.authenticators.google", "26:33 error databases.shop.authenticators.google.clockSkew",
                "26:52 error databases.shop.authenticators.upstream",
                "26:64 error databases.shop.authenticators.upstream.cookieName",
                "26:85 error databases.shop.authenticators.oidc", "26:93 error databases.shop.authenticators.oidc.register",
                "27:14 error databases.shop.guest.enabled", "27:41 error databases.shop.guest.channels[1]",
                "29:5 error databases.other.store", "30:5 error databases.other.routesFile",
                "31:22 error databases.other.users.anna.roles", "31:36 error databases.other.users.anna.password",
                "32:3 error databases.shop",
            ])
    }

    @Test("A file of routes has lines of its own")
    func routesFile() async throws {
        let found = try await findings(
            "databases:\n  shop:\n    store: s\n    routesFile: routes.yaml\n    conflicts: keeep\n",
            files: [
                "routes.yaml":
                    "collections:\n  a.b: { sync: 'function (' }\nroutes:\n  - { to: c.d, when: { channel: x } }\n  - { to: a.b, when: { channel: x } }\n  - { to: a.b, when: { channel: x } }\n"
            ])
        #expect(
            found.sorted() == [
                "5:5 error databases.shop.conflicts", "routes.yaml 2:27 error collections.a.b.sync", "routes.yaml 4:5 error routes[1]",
                "routes.yaml 5:5 warning routes[2]", "routes.yaml 6:5 warning routes[3]",
            ])
    }

    @Test("Duplicate keys are reported with their own places, together with other mistakes")
    func twice() async throws {
        let found = try await findings(
            """
            databases:
              shop: { store: a, store: b, conflicts: keeep }
              other:
                store: c
                limits: { documentSize: 1 }
                store: d
                "limits": { documentSize: 2 }
                store: e
              shop:
                store: f
            """)
        #expect(
            found == [
                "2:21 error databases.shop.store", "2:31 error databases.shop.conflicts", "6:5 error databases.other.store",
                "7:5 error databases.other.limits", "8:5 error databases.other.store", "9:3 error databases.shop",
            ])
    }

    @Test("Invalid UTF-8 is reported with its byte and its line")
    func encoding() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("dualgauge.yaml")
        try Data(Array("listen:\n  public: \"čau ".utf8) + [0xff] + Array("\"\n".utf8)).write(to: file)
        let finding = try #require(await ConfigurationFile.check(file.path, environment: [:]).findings.first)
        #expect(finding.code == .malformed && finding.place.line == 2 && finding.place.column == 16)
        #expect(finding.message.contains("byte 25 ") && finding.message.contains("0xff"))
    }

    @Test(
        "A syntax error of YAML is reported with its place", arguments: [("a:\n  - b\n c: d\n", 3), ("a: [\n", 2), ("a: b\n\tc: d\n", 2)])
    func malformed(text: String, line: Int) async throws {
        let folder = try TemporaryFolder()
        let finding = try #require(await ConfigurationFile.check(try folder.write(text, to: "a.yaml"), environment: [:]).findings.first)
        #expect(finding.code == .malformed && finding.place.line == line && finding.place.column != nil)
    }

    @Test("A mistake of a resolver in a file of its own is reported with that file's lines")
    func scriptFile() async throws {
        let found = try await findings(
            "databases:\n  shop:\n    store: s\n    replications:\n      r: { remote: \"ws://h/shop\", resolver: merge.js }\n",
            files: ["merge.js": "// Merges.\nfunction (conflict) {\n  return ;;)\n}\n"])
        #expect(found == ["merge.js 3:12 error databases.shop.replications.r.resolver"])
    }

    @Test("Databases and their collections have places, for checks that open the stores")
    func places() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "databases:\n  a:\n    store: a\n    collections: {}\n  b:\n    store: b\n", to: "dualgauge.yaml")
        var checked = await ConfigurationFile.check(path, environment: [:])
        #expect(checked.databases["a"]?.database == ConfigurationPlace(file: path, line: 2, column: 3))
        #expect(checked.databases["a"]?.collections == ConfigurationPlace(file: path, line: 4, column: 5))
        let b = try #require(checked.databases["b"])
        #expect(b.collections == b.database && b.database.line == 5)
        checked.add([ConfigurationFinding(.warning, .undescribedCollection, at: b.collections, path: "databases.b.collections", "late")])
        #expect(checked.error == nil && checked.warnings.map(\.message) == ["late"])
        #expect(try checked.get().databases.count == 2)
    }
}
