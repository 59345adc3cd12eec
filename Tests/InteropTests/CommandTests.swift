import Documents
import Foundation
import HTTPTypes
import HummingbirdCore
import SQLiteStorage
import Storage
import Testing

@Suite("The command line")
struct CommandTests {
    private func config(_ folder: TemporaryFolder, _ lines: String = "", port: Int = 0) throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:\(port)\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n\(lines)", to: "dualgauge.yaml")
    }

    @Test("`config check` accepts a valid file, and refuses an invalid one")
    func configCheck() async throws {
        let folder = try TemporaryFolder()
        let good = try await Program.run("config", "check", try config(folder))
        #expect(good.code == 0 && good.output.contains("is valid"))
        let bad = try await Program.run("config", "check", try config(folder, "    rotues: []\n"))
        #expect(bad.code == 2)
        #expect(bad.errors.contains("databases.shop.rotues") && bad.errors.contains("`routes`"), "\(bad.errors)")
    }

    @Test("`config check` names an unusable certificate, as `serve` does")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("no certificate", to: "text.pem")
        for (certificate, key, words) in [
            ("none.pem", text, ["listen.tls.certificate", "none.pem cannot be read"]),
            (text, "none.key", ["listen.tls.key", "none.key cannot be read"]), (text, text, ["listen.tls", "PEM"]),
        ] {
            let path = try folder.write(
                "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\", tls: { certificate: \(certificate), key: \(key) } }\n"
                    + "databases: { shop: { store: shop.dualgauge } }\n", to: "tls.yaml")
            for arguments in [["serve", "--config", path], ["config", "check", path]] {
                let result = try await Program.run(arguments)
                #expect(result.code == 2, "\(arguments): \(result.errors)")
                for word in words { #expect(result.errors.contains(word), "\(arguments): \(result.errors)") }
            }
        }
    }

    @Test(
        "A port out of range is reported as a mistake by each command",
        arguments: [
            ["replicate", "--from", "http://127.0.0.1:99999/x", "--to", "STORE"],
            ["replicate", "--from", "ws://127.0.0.1:65536/x", "--to", "STORE"],
            ["migrate", "--from", "http://127.0.0.1:99999/x", "--to", "STORE"], ["verify", "http://127.0.0.1:99999/x", "STORE"],
            ["user", "list", "shop", "--admin", "http://127.0.0.1:99999"], ["fleet", "shop", "--admin", "http://127.0.0.1:99999"],
            ["config", "import", "--from-server", "http://127.0.0.1:99999"],
        ])
    func impossiblePort(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program.run(arguments.map { $0 == "STORE" ? "\(folder.path)/shop.dualgauge" : $0 })
        #expect(result.code == 2 && result.errors.hasPrefix("dualgauge: "), "\(result.code): \(result.errors)")
    }

    @Test("A port out of range is a mistake in each URL of the configuration, and in URLs that administrators add")
    func impossiblePortServed() async throws {
        let folder = try TemporaryFolder()
        for lines in [
            "    replications: { old: { remote: \"http://127.0.0.1:99999/x\" } }\n",
            "    authenticators: { upstream: { url: \"http://127.0.0.1:99999/x\" } }\n",
            "    authenticators: { facebook: { graphURL: \"http://127.0.0.1:99999/x\" } }\n",
        ] {
            let check = try await Program.run("config", "check", try config(folder, lines))
            #expect(check.code == 2, "\(lines)\(check.output)\(check.errors)")
        }
        let program = try await Program(serving: try config(folder))
        let admin = try RawSocket(port: program.adminPort)
        let body = #"{"remote":"http://127.0.0.1:99999/x","direction":"pull"}"#
        let answer = try await admin.ask("PUT", "/shop/_replication/r1", body)
        #expect(answer.status == 400, "\(answer)")
        let socket = try RawSocket(port: program.port)
        #expect(try await socket.ask("GET", "/shop/_all_docs?limit=1&skip=\(Int.max)").status == 200)
        await program.kill()
    }

    @Test("A redirection of an old server is followed, but not to a port out of range")
    func redirections() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            #expect(try await bridge.admin("PUT", "/shop/a", "{}").status == 201)
            try await FakeServer.run { call, _ in
                let target = call.path.hasPrefix("/shop") ? "\(bridge.url)\(call.path)" : "http://127.0.0.1:99999/x"
                return Response(status: .temporaryRedirect, headers: [.location: target])
            } _: { _, url in
                let pull = ["replicate", "--pull", "--max-attempts", "1", "--to", "\(folder.path)/a.dualgauge", "--from"]
                let moved = try await Program.run(pull + ["\(url)/shop"])
                #expect(moved.code == 0 && moved.output.contains("pulled 1 document"), "\(moved)")
                let nowhere = try await Program.run(pull + ["\(url)/other"])
                #expect((1...3).contains(nowhere.code) && nowhere.errors.hasPrefix("dualgauge: "), "\(nowhere)")
            }
        }
    }

    @Test("`check` refuses a store that does not exist")
    func missingStore() async throws {
        let result = try await Program.run("check", "/nowhere/shop.dualgauge")
        #expect(result.code == 3)
        #expect(result.errors.contains("/nowhere/shop.dualgauge"))
    }

    @Test("`serve` on a port in use names the address")
    func portInUse() async throws {
        let folder = try TemporaryFolder()
        let first = try await Program(serving: try config(folder))
        let other = try TemporaryFolder()
        let result = try await Program.run("serve", "--config", try config(other, port: first.port))
        await first.kill()
        #expect(result.code == 2)
        #expect(result.errors.contains("127.0.0.1:\(first.port): address already in use. "), "\(result.errors)")
        #expect(!result.errors.contains("CancellationError"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(other.path)/shop.dualgauge"), "A store was created.")
    }

    @Test("`migrate --in` previews, moves and reverts")
    func migrate() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        let socket = try RawSocket(port: program.port)
        #expect(try await socket.ask("PUT", "/shop/o1", "{\"type\":\"order\"}").status == 201)
        #expect(try await socket.ask("PUT", "/shop/n1", "{\"type\":\"note\"}").status == 201)
        await program.kill()
        let routes = try folder.write(
            "collections: { sales.orders: {} }\nroutes:\n  - { to: sales.orders, when: { property: type, equals: order } }\n",
            to: "routes.yaml")
        let store = "\(folder.path)/shop.dualgauge"
        for (flags, isDryRun) in [(["--dry-run"], true), ([], false)] {
            let file = "\(folder.path)/\(isDryRun ? "dry" : "run").json"
            let result = try await Program.run(["migrate", "--in", store, "--routes", routes, "--json", "--report", file] + flags)
            #expect(result.code == 0, "\(result.errors)")
            let report = try JSONValue(Array(result.output.utf8.dropLast()))
            #expect(report["run"]?["kind"]?.string == "move" && report["run"]?["isDryRun"]?.bool == isDryRun)
            #expect(report["collections"]?.array?.first?["documents"]?.int == 1)
            let written = try JSONValue(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
            #expect(written["run"]?["kind"]?.string == "move" && written["run"]?["isDryRun"]?.bool == isDryRun)
            let collections = written["collections"]?.array ?? []
            #expect(collections.map { $0["name"]?.string } == ["_default._default", "sales.orders"])
            #expect(collections.map { $0["documents"]?.int } == [1, 1])
            #expect(collections.last?["written"]?["examples"]?.array?.first?.string == "o1")
        }
        let page = "\(folder.path)/back.html"
        let revert = try await Program.run(["migrate", "--in", store, "--routes", routes, "--json", "--revert", "--report", page])
        let reverted = try JSONValue(Array(revert.output.utf8.dropLast()))
        #expect(reverted["run"]?["kind"]?.string == "revert")
        #expect(reverted["collections"]?.array?.first?["written"]?["documents"]?.int == 1)
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<html"))
        #expect(try await Program.run("check", store).code == 0)
    }

    @Test(
        "Every command refuses a store of a newer schema, or of one before the first release, with exit code 2, and leaves it unchanged",
        arguments: [999, 24])
    func otherSchema(version: UInt16) async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/shop.dualgauge"
        try await SQLiteStore(path: path).close()
        // SQLite keeps the number of the schema at a fixed place in the file (user_version).
        let file = URL(fileURLWithPath: "\(path)/store.sqlite")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(60..<64, with: [0, 0, UInt8(version >> 8), UInt8(version & 0xff)])
        try bytes.write(to: file)
        let config = try config(folder)
        let routes = try folder.write("collections: { sales.orders: {} }\nroutes: []\n", to: "routes.yaml")
        for arguments in [["serve", "--config", config], ["migrate", "--in", path, "--routes", routes], ["check", path]] {
            let result = try await Program.run(arguments)
            #expect(result.code == 2, "\(arguments): \(result.errors)")
            #expect(result.errors.contains(path) && result.errors.contains("version \(version)"), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1 && result.output.isEmpty, "\(result.errors)")
        }
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("A folder or file that is not a store is refused as such")
    func noStore() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("text", to: "shop.dualgauge")
        for arguments in [["serve", "--config", try config(folder)], ["check", "\(folder.path)/shop.dualgauge"]] {
            let result = try await Program.run(arguments)
            #expect(result.code == 3, "\(arguments): \(result.errors)")
            #expect(result.errors.contains("shop.dualgauge"), "\(result.errors)")
        }
    }

    @Test("A configuration that is missing, empty, not YAML or has unknown keys is refused with its path and exit code 2")
    func badConfiguration() async throws {
        let folder = try TemporaryFolder()
        let missing = try await Program.run("serve", "--config", "\(folder.path)/none.yaml")
        #expect(missing.code == 2 && missing.errors.contains("none.yaml"), "\(missing.errors)")
        for (text, word) in [
            ("", "empty"), ("- a\n", "mapping"), ("listen: [\n", ":2:1"), ("listn: {}\n", "`listen`"),
            ("databases: { shop: { stor: x } }\n", "`store`"),
            ("databases: { shop: { store: s.dualgauge, guest: { enabeld: true } } }\n", "`enabled`"),
            ("databases: { shop: {} }\n", "store"),
            ("databases: { shop: { store: s.dualgauge, routes: [ { to: a.b, when: { property: x, equals: 1 } } ] } }\n", "a.b"),
        ] {
            let path = try folder.write(text, to: "bad.yaml")
            for arguments in [["serve", "--config", path], ["config", "check", path]] {
                let result = try await Program.run(arguments)
                #expect(result.code == 2, "\(text): \(result.errors)")
                #expect(result.errors.contains(word) && result.errors.contains("bad.yaml:"), "\(text): \(result.errors)")
            }
        }
        #expect(try await Program.run("sreve").code == 2)
        #expect(try await Program.run("serve", "--confg", "x").code == 2)
        #expect(try await Program.run("migrate").code == 2)
    }
}
