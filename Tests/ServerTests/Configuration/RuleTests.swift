import Foundation
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Contradictions in a configuration")
struct RuleTests {
    private func findings(_ text: String, folder: TemporaryFolder? = nil) async throws -> [ConfigurationFinding] {
        let folder = try folder ?? TemporaryFolder()
        return await ConfigurationFile.check(try folder.write(text, to: "dualgauge.yaml"), environment: [:]).findings
    }

    private func shop(_ lines: String) async throws -> [ConfigurationFinding] {
        let indented = lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        return try await findings("databases:\n  shop:\n    store: s\n\(indented)\n")
    }

    @Test(
        "Two ports at one address are refused",
        arguments: [
            ("127.0.0.1:4984", "127.0.0.1:4984", true), (":4984", "127.0.0.1:4984", true), ("127.0.0.1:4984", "[::]:4984", true),
            ("localhost:4984", "127.0.0.1:4984", true), ("127.0.0.1:4984", "127.0.0.2:4984", false), ("127.0.0.1:0", "127.0.0.1:0", false),
            (":4984", "127.0.0.1:4985", false),
        ])
    func addresses(open: String, admin: String, isRefused: Bool) async throws {
        let found = try await findings("listen:\n  public: \"\(open)\"\n  admin: \"\(admin)\"\ndatabases: { a: { store: s } }")
        #expect(found.contains { $0.code == .contradiction && $0.place.line == 3 } == isRefused, "\(found)")
    }

    @Test(
        "A replication with its own database is refused, as far as the bridge's own addresses show it",
        arguments: [
            ("127.0.0.1:4984", "http://127.0.0.1:4984/a", true), ("127.0.0.1:4984", "ws://localhost:4984/a", true),
            ("127.0.0.1:4984", "http://[::1]:4984/a/", true), (":4984", "http://127.0.0.1:4984/a", true),
            (":4984", "https://127.0.0.1:4984/a", true), ("10.9.8.7:4984", "http://10.9.8.7:4984/a", true),
            ("127.0.0.1:5984", "http://127.0.0.1:4985/a", true), ("127.0.0.1:4984", "http://127.0.0.1:4984/b", false),
            ("127.0.0.1:4984", "http://127.0.0.1:4984/c", false), ("127.0.0.1:4984", "http://10.9.8.7:4984/a", false),
            ("10.9.8.7:4984", "http://10.9.8.6:4984/a", false), ("127.0.0.1:4984", "http://old.example.com/a", false),
        ])
    func itself(open: String, remote: String, isRefused: Bool) async throws {
        let found = try await findings(
            "listen: { public: \"\(open)\" }\ndatabases:\n  a: { store: s, replications: { r: { remote: \"\(remote)\" } } }\n  b: { store: t }\n"
        )
        #expect(found.contains { $0.code == .contradiction && $0.message.contains("itself") } == isRefused, "\(found)")
        #expect(found.allSatisfy { $0.place.line == 3 })
    }

    @Test("A cycle of old servers is refused; a chain of databases is not")
    func circle() async throws {
        func database(_ name: String, _ old: String) -> String {
            let legacy = "{ remote: \"http://127.0.0.1:4984/\(old)\", continuous: true }"
            return "  \(name): { store: \(name), replications: { legacy: \(legacy) }, cutover: { legacy: legacy } }\n"
        }
        let circle = try await findings("databases:\n" + database("a", "b") + database("b", "c") + database("c", "a") + database("d", "a"))
        #expect(circle.map(\.place.line) == [2, 3, 4] && circle.allSatisfy { $0.code == .contradiction }, "\(circle)")
        let chain = try await findings("databases:\n" + database("a", "b") + database("b", "c") + "  c: { store: c }\n")
        #expect(chain.isEmpty, "\(chain)")
    }

    @Test(
        "A warning is given for an admin port beyond this machine",
        arguments: [("0.0.0.0:4985", true), ("10.0.0.1:4985", true), (":4985", true), ("127.0.0.1:4985", false), ("[::1]:4985", false)])
    func exposed(admin: String, isWarned: Bool) async throws {
        let found = try await findings("listen: { admin: \"\(admin)\" }\ndatabases: { a: { store: s } }")
        #expect(found.map(\.code) == (isWarned ? [.exposedAdmin] : []))
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    @Test("A warning is given for a short password of the admin port")
    func adminPasswords() async throws {
        let users = "    a: { role: operator, password: kurz }\n    b: { role: operator, password: \"long enough\" }\n"
        let found = try await findings("adminAuth:\n  users:\n\(users)databases: { a: { store: s } }")
        #expect(found.map(\.path) == ["adminAuth.users.a.password"])
        #expect(found.allSatisfy { $0.code == .weakPassword && $0.severity == .warning && !$0.message.contains("kurz") })
    }

    @Test(
        "An audit log that cannot be written is refused; a missing one is created",
        arguments: [
            ("audit.jsonl", true), ("there.jsonl", true), ("gone/audit.jsonl", false), ("folder", false),
        ])
    func audit(file: String, isTaken: Bool) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("", to: "there.jsonl")
        try FileManager.default.createDirectory(at: folder.url.appendingPathComponent("folder"), withIntermediateDirectories: true)
        let found = try await findings("audit:\n  file: \(file)\ndatabases: { a: { store: s } }", folder: folder)
        #expect(found.map(\.path) == (isTaken ? [] : ["audit.file"]), "\(found)")
        #expect(found.allSatisfy { $0.code == .badFile && $0.place.line == 2 && $0.severity == .error })
    }

    @Test("One store in two databases is refused, by any path")
    func stores() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url.appendingPathComponent("data"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appendingPathComponent("link"), withDestinationURL: folder.url.appendingPathComponent("data"))
        let found = try await findings(
            """
            databases:
              a: { store: ./data/shop.dualgauge }
              b: { store: link/../data/shop.dualgauge }
              c: { store: link/shop.dualgauge }
              d: { store: other.dualgauge }
            """, folder: folder)
        #expect(found.map(\.path) == ["databases.b.store", "databases.c.store"])
        #expect(found.allSatisfy { $0.code == .contradiction })
    }

    @Test("A key of another certificate is refused, and so is a file that is not a key")
    func keys() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(TestCertificates.first.certificate, to: "a.pem")
        _ = try folder.write(TestCertificates.first.key, to: "a.key")
        _ = try folder.write(TestCertificates.second.key, to: "b.key")
        func found(_ key: String) async throws -> [ConfigurationFinding] {
            try await findings(
                "listen:\n  tls:\n    certificate: a.pem\n    key: \(key)\ndatabases: { a: { store: s } }", folder: folder)
        }
        #expect(try await found("a.key").isEmpty)
        let mismatch = try await found("b.key")
        #expect(mismatch.map(\.place.line) == [4] && mismatch.first?.message.contains("does not belong to the certificate") == true)
        let client = try await findings(
            """
            databases:
              a:
                store: s
                replications:
                  r:
                    remote: wss://h/shop
                    auth: { clientCertificate: { certificate: a.pem, key: b.key } }
                  s:
                    remote: wss://h/shop
                    auth: { clientCertificate: { certificate: b.key, key: a.key } }
            """, folder: folder)
        #expect(
            client.map(\.path)
                == ["r.auth.clientCertificate.key", "s.auth.clientCertificate.certificate"].map {
                    "databases.a.replications.\($0)"
                })
        #expect(try await found("a.pem").first?.message.contains("not a PEM file with a private key") == true)
    }

    @Test("Unknown roles, weak passwords and contradictory users are reported")
    func users() async throws {
        let found = try await shop(
            """
            roles: { staff: { channels: [a] }, idle: {} }
            users:
              anna: { password: ab, roles: [staff, ghosts] }
              otto: { password: abc, upstream: true }
              emma: { upstream: true }
            """)
        #expect(
            found.map { "\($0.place.line ?? 0) \($0.code.rawValue) \($0.path)" } == [
                "4 strayRole databases.shop.roles.idle", "6 weakPassword databases.shop.users.anna.password",
                "6 strayRole databases.shop.users.anna.roles[2]", "7 contradiction databases.shop.users.otto.upstream",
                "8 contradiction databases.shop.users.emma.upstream",
            ])
    }

    @Test("A warning is given for channels that no function assigns, and that no grant names, where functions name theirs")
    func channels() async throws {
        let found = try await shop(
            """
            guest: { enabled: true, channels: [news, lost] }
            collections:
              _default._default: { sync: "function (doc) { requireRole('staff'); requireAccess(['vip', \\"a\\"]); channel('news', 'a'); }" }
            users: { anna: { password: secret, channels: [a, "!"] } }
            """)
        #expect(
            found.map { "\($0.place.line ?? 0) \($0.code.rawValue) \($0.path.dropFirst(15)) \($0.message.split(separator: "`")[1])" } == [
                "4 strayChannel guest.channels[2] lost", "6 strayRole collections._default._default.sync staff",
                "6 strayChannel collections._default._default.sync vip",
            ])
    }

    @Test(
        "Functions with computed channels get no warning",
        arguments: [
            "channel(doc.channels)", "channel('a' + doc.x)", "var c = channel; c('a')", "/'/.test(doc.x); channel('b')", "channel(`a`)",
        ])
    func unknownChannels(body: String) async throws {
        let found = try await shop(
            "guest: { enabled: true, channels: [lost] }\ncollections:\n  _default._default:\n    sync: |\n      function (doc) { \(body) }")
        #expect(found.isEmpty, "\(found)")
    }

    @Test("A warning is given for hooks that are no programs")
    func hooks() async throws {
        let found = try await shop(
            """
            replications: { old: { remote: "http://h/shop", continuous: true } }
            cutover: { legacy: old, hooks: { before: [none.sh], after: [/bin/true] } }
            """)
        #expect(found.map(\.severity) == [.warning] && found.first?.path == "databases.shop.cutover.hooks.before")
    }
}
