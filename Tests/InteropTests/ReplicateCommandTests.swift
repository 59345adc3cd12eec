import Documents
import Foundation
import Testing

@Suite("The command line: replicate", .serialized)
struct ReplicateCommandTests {
    private static let lines = "    guest: { enabled: true, channels: [\"*\"] }\n"

    private func serve(_ folder: TemporaryFolder, _ lines: String = ReplicateCommandTests.lines) async throws -> Program {
        try await Program(
            serving: try folder.write(
                "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n\(lines)",
                to: "dualgauge.yaml"))
    }

    private func put(_ ids: [String], _ port: Int) async throws {
        let socket = try RawSocket(port: port)
        defer { socket.cut() }
        for id in ids { #expect(try await socket.ask("PUT", "/shop/\(id)", "{\"from\":\"\(id)\"}").status == 201) }
    }

    private func has(_ id: String, _ port: Int) async throws -> Bool {
        let socket = try RawSocket(port: port)
        defer { socket.cut() }
        return try await socket.ask("GET", "/shop/\(id)").status == 200
    }

    /// The last line of a run with `--json`.
    private func end(_ result: Program.Result) throws -> JSONValue {
        let line = try #require(result.output.split(separator: "\n").last, "\(result.errors)")
        return try JSONValue(Array(line.utf8))
    }

    @Test("A store pulls from one bridge, pushes to another, and does both; nothing is transferred twice", arguments: ["ws", "http"])
    func bridges(scheme: String) async throws {
        let (here, there, between) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        let one = try await serve(here)
        let two = try await serve(there)
        let store = "\(between.path)/copy.dualgauge"
        let (first, second) = ("\(scheme)://127.0.0.1:\(one.port)/shop", "\(scheme)://127.0.0.1:\(two.port)/shop")
        try await put(["a", "b"], one.port)
        let pull = try await Program.run("replicate", "--from", first, "--to", store, "--pull", "--json")
        #expect(pull.code == 0, "\(pull.errors)")
        #expect(try end(pull)["pulled"]?.int == 2)
        let push = try await Program.run("replicate", "--from", store, "--to", second, "--push", "--json")
        #expect(push.code == 0, "\(push.errors)")
        #expect(try end(push)["pushed"]?.int == 2)
        #expect(try await has("a", two.port))
        try await put(["c"], two.port)
        for count in [1, 0] {
            let both = try await Program.run("replicate", "--from", store, "--to", second, "--json")
            #expect(both.code == 0, "\(both.errors)")
            #expect(try end(both)["pulled"]?.int == count)
            #expect(try end(both)["pushed"]?.int == 0)
        }
        let back = try await Program.run("replicate", "--from", first, "--to", store)
        #expect(back.code == 0 && back.output.contains("Pushed 1 and pulled 0"), "\(back.output) \(back.errors)")
        #expect(try await has("c", one.port))
        await one.kill()
        await two.kill()
        #expect(try await Program.run("check", store).code == 0)
    }

    @Test("A store is copied to another store, limited to the selected documents")
    func stores() async throws {
        let folder = try TemporaryFolder()
        let program = try await serve(folder)
        try await put(["a", "b", "c"], program.port)
        await program.kill()
        let (from, to) = ("\(folder.path)/shop.dualgauge", "\(folder.path)/copy.dualgauge")
        let some = try await Program.run("replicate", "--from", from, "--to", to, "--push", "--doc-ids", "a,b", "--json")
        #expect(some.code == 0, "\(some.errors)")
        #expect(try end(some)["pushed"]?.int == 2)
        let filter = try folder.write("function (doc) { return doc.from != 'c'; }", to: "filter.js")
        let filtered = try await Program.run("replicate", "--from", from, "--to", to, "--push", "--filter", filter, "--json")
        #expect(try end(filtered)["pushed"]?.int == 0, "\(filtered.errors)")
        let rest = try await Program.run("replicate", "--from", from, "--to", to, "--reset-checkpoint", "--json")
        #expect(rest.code == 0, "\(rest.errors)")
        #expect(try end(rest)["pushed"]?.int == 1)
    }

    @Test("--create-target creates the database, accepts an existing one, and has no effect on a pull")
    func createTarget() async throws {
        let folder = try TemporaryFolder()
        let server = try await serve(folder)
        let store = "\(folder.path)/copy.dualgauge"
        let url = "http://127.0.0.1:\(server.adminPort)/shop"
        #expect(try await Program.run("replicate", "--from", url, "--to", store, "--pull").code == 0)
        let push = try await Program.run("replicate", "--from", store, "--to", url, "--push", "--create-target")
        #expect(push.code == 0, "\(push.errors)")
        let pull = try await Program.run("replicate", "--from", url, "--to", store, "--pull", "--create-target")
        #expect(pull.code != 0 && pull.errors.contains("createTarget"), "\(pull.errors)")
        await server.kill()
    }

    @Test("A continuous replication runs until Ctrl-C, and saves its checkpoint", arguments: ["ws", "http"])
    func continuous(scheme: String) async throws {
        let (here, between) = (try TemporaryFolder(), try TemporaryFolder())
        let server = try await serve(here)
        try await put(["a"], server.port)
        let store = "\(between.path)/copy.dualgauge"
        let url = "\(scheme)://127.0.0.1:\(server.port)/shop"
        let running = try RunningCommand("replicate", "--from", url, "--to", store, "--continuous", "--json")
        try await running.wait(for: #""id":"a""#)
        try await put(["b"], server.port)
        try await running.wait(for: #""id":"b""#)
        await running.interrupt()
        let (code, output) = await running.end()
        #expect(code == 0 && output.contains(#""event":"end""#), "\(output)")
        let again = try await Program.run("replicate", "--from", url, "--to", store, "--json")
        #expect(try end(again)["pulled"]?.int == 0 && end(again)["pushed"]?.int == 0, "\(again.output)")
        await server.kill()
    }

    @Test("A wrong password is refused with 2, an unreachable server with 3; a valid password is never shown")
    func failures() async throws {
        let (here, between) = (try TemporaryFolder(), try TemporaryFolder())
        let server = try await serve(here, "")
        let store = "\(between.path)/copy.dualgauge"
        let admin = "\(here.path)/shop.dualgauge"
        #expect(try await Program.run("user", "add", "u", "--password", "s3cret", "--channel", "*", "--store", admin).code == 0)
        for scheme in ["ws", "http"] {
            let url = "\(scheme)://127.0.0.1:\(server.port)/shop"
            let wrong = try await Program.run("replicate", "--from", url, "--to", store, "--user", "u:wrong")
            #expect(wrong.code == 2 && wrong.errors.contains("401"), "\(scheme) \(wrong.code) \(wrong.errors)")
            let missing = try await Program.run("replicate", "--from", "\(url)x", "--to", store, "--user", "u:s3cret")
            #expect(missing.code == 2 && missing.errors.contains("404"), "\(scheme) \(missing.code) \(missing.errors)")
            let right = try await Program.run("replicate", "--from", url, "--to", store, "--user", "u:s3cret", "--verbose")
            #expect(right.code == 0 && !right.errors.contains("s3cret"), "\(scheme) \(right.code) \(right.errors)")
        }
        await server.kill()
        for scheme in ["ws", "http"] {
            let gone = try await Program.run(
                "replicate", "--from", "\(scheme)://127.0.0.1:\(server.port)/shop", "--to", store, "--max-attempts", "1", "--json")
            #expect(gone.code == 3, "\(gone.errors)")
            #expect(try end(gone)["error"]?.string?.contains("(connection refused)") == true)
        }
    }

    @Test(
        "Contradictory options are refused with 2, before a store is created",
        arguments: [
            ["--from", "ws://h/a", "--to", "ws://h/b"], ["--from", "file:///a", "--to", "x.dualgauge"],
            ["--from", "a.json", "--to", "x.dualgauge"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--push", "--pull"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--user", "nobody"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--facebook-token", "t"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--max-attempts", "-1"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--resolver", "mine"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--resolver", "/nowhere.js"],
            ["--from", "ws://h/a", "--to", "x.dualgauge", "--collections", "a.b.c"],
        ])
    func usage(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let placed = arguments.map { $0 == "x.dualgauge" ? "\(folder.path)/x.dualgauge" : $0 }
        let result = try await Program.run(["replicate"] + placed)
        #expect(result.code == 2, "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/x.dualgauge"))
    }
}
