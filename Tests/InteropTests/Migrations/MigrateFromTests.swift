import Documents
import Foundation
import Testing

@Suite("`migrate --from`, `verify` and `quarantine`")
struct MigrateFromTests {
    /// A store with two orders and a note, created by a bridge that serves it.
    private func source(_ folder: TemporaryFolder) async throws -> (path: String, routes: String) {
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: old.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let program = try await Program(serving: config)
        let socket = try RawSocket(port: program.port)
        for (id, body) in [("o1", #"{"type":"order"}"#), ("o2", #"{"type":"order"}"#), ("n1", #"{"type":"note"}"#)] {
            #expect(try await socket.ask("PUT", "/shop/\(id)", body).status == 201)
        }
        await program.kill()
        let routes = try folder.write(
            "collections: { sales.orders: {} }\nroutes:\n  - { to: sales.orders, when: { property: type, equals: order } }\n",
            to: "routes.yaml")
        return ("\(folder.path)/old.dualgauge", routes)
    }

    private func report(_ result: Program.Result) throws -> JSONValue { try JSONValue(Array(result.output.utf8)) }

    @Test("A store is examined, migrated, verified, and migrated again without effect")
    func store() async throws {
        let folder = try TemporaryFolder()
        let (old, routes) = try await source(folder)
        let new = "\(folder.path)/new.dualgauge"
        let command = ["migrate", "--from", old, "--to", new, "--routes", routes, "--json"]
        let dry = try await Program.run(command + ["--dry-run"])
        #expect(dry.code == 0, "\(dry.errors)")
        #expect(try report(dry)["collections"]?.array?.count == 2)
        #expect(!FileManager.default.fileExists(atPath: new))
        let page = "\(folder.path)/run.html"
        let first = try await Program.run(command + ["--report", page])
        #expect(first.code == 0, "\(first.errors) \(first.output)")
        #expect(try report(first)["verification"]?["equal"]?.int == 3)
        #expect(FileManager.default.fileExists(atPath: page))
        let again = try await Program.run(command)
        #expect(again.code == 0)
        #expect(try report(again)["run"]?["message"]?.string?.contains("nothing is new") == true)
        let verified = try await Program.run("verify", old, new, "--json")
        #expect(verified.code == 0, "\(verified.errors) \(verified.output)")
        let text = try await Program.run("verify", old, new)
        #expect(text.output.contains("finished: 3 documents compared in"), "\(text.output)")
        let check = try await Program.run("check", new)
        #expect(check.code == 0)
    }

    @Test("Running 1.x and 2.x+ servers are read, and a second run reads only new documents", arguments: ["http", "ws"])
    func server(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let (_, routes) = try await source(folder)
        let program = try await Program(serving: "\(folder.path)/dualgauge.yaml")
        let new = "\(folder.path)/new.dualgauge"
        let command = [
            "migrate", "--from", "\(scheme)://127.0.0.1:\(program.port)/shop", "--to", new, "--routes", routes, "--json",
        ]
        let first = try await Program.run(command)
        #expect(first.code == 0, "\(first.errors) \(first.output)")
        #expect(try report(first)["verification"]?["equal"]?.int == 3)
        let socket = try RawSocket(port: program.port)
        #expect(try await socket.ask("PUT", "/shop/o3", #"{"type":"order"}"#).status == 201)
        let second = try await Program.run(command)
        #expect(second.code == 0, "\(second.errors) \(second.output)")
        #expect(try report(second)["run"]?["message"]?.string?.contains("only what is new") == true)
        #expect(try report(second)["verification"]?["equal"]?.int == 4)
        await program.kill()
        let gone = try await Program.run(command + ["--max-attempts", "1"])
        #expect(gone.code == 3, "\(gone.output)")
    }

    @Test("Mistakes have exit codes, and are found before anything is read or created")
    func mistakes() async throws {
        let folder = try TemporaryFolder()
        let new = "\(folder.path)/new.dualgauge"
        let missing = try await Program.run("migrate", "--from", "\(folder.path)/none.dualgauge", "--to", new)
        #expect(missing.code == 3, "\(missing.errors)")
        let bad = try folder.write("routes:\n  - { to: sales.orders, when: { idPrefix: a } }\n", to: "bad.yaml")
        let routes = try await Program.run("migrate", "--from", "\(folder.path)/none.dualgauge", "--to", new, "--routes", bad)
        #expect(routes.code == 2, "\(routes.errors)")
        #expect(routes.errors.contains("sales.orders"))
        let both = try await Program.run("migrate", "--from", "a", "--to", new, "--in", new)
        #expect(both.code == 2)
        #expect(!FileManager.default.fileExists(atPath: new))
    }
}
