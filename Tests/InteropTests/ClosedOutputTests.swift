import Testing

@Suite("The command line: output to a closed pipe", .timeLimit(.minutes(5)))
struct ClosedOutputTests {
    @Test("Every command that prints ends with an exit code, as with `| head`")
    func commands() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let server = try await Program(serving: config)
        let socket = try RawSocket(port: server.port)
        for id in ["a", "b"] { #expect(try await socket.ask("PUT", "/shop/\(id)", "{}").status == 201) }
        socket.cut()
        let store = "\(folder.path)/shop.dualgauge"
        let commands: [([String], [Int32])] = [
            (["config", "check", config], [0]), (["config", "check", config, "--json"], [0]), (["check", store, "--json"], [0]),
            (["user", "list", "--store", store, "--json"], [0]), (["--help"], [0]), (["config", "check", "/nowhere"], [2]),
            // The next run does the rest of the replication.
            (["replicate", "--from", "http://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/1.dualgauge", "--json"], [0, 1]),
            (["replicate", "--from", "ws://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/2.dualgauge", "--json"], [0, 1]),
            (["replicate", "--from", "http://127.0.0.1:\(server.port)/shop", "--to", "\(folder.path)/3.dualgauge"], [0]),
            (["replicate", "--from", "http://127.0.0.1:1/shop", "--to", "\(folder.path)/4.dualgauge", "--verbose"], [3]),
        ]
        for (arguments, codes) in commands {
            let code = try await Program.runUnread(arguments)
            #expect(codes.contains(code), "\(arguments): \(code)")
        }
        await server.kill()
    }

    @Test("A continuous replication ends when its output is closed, with its checkpoint saved", arguments: ["ws", "http"])
    func continuous(scheme: String) async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n", to: "dualgauge.yaml")
        let server = try await Program(serving: config)
        let (url, store) = ("\(scheme)://127.0.0.1:\(server.port)/shop", "\(folder.path)/copy.dualgauge")
        let code = try await Program.runUnread(["replicate", "--from", url, "--to", store, "--continuous", "--json"])
        #expect(code == 0)
        #expect(try await Program.run("check", store).code == 0)
        await server.kill()
    }
}
