import Documents
import Foundation
import TestSupport
import Testing

/// Traps are provoked by `POST /_trap`, which debug builds have.
@Suite("The supervisor")
struct SupervisorTests {
    private func config(_ folder: TemporaryFolder, _ lines: String = "") throws -> String {
        try folder.write(
            "listen: { public: \"127.0.0.1:0\", admin: \"127.0.0.1:0\" }\ndatabases:\n  shop:\n    store: shop.dualgauge\n"
                + "    guest: { enabled: true, channels: [\"*\"] }\n\(lines)", to: "dualgauge.yaml")
    }

    /// The restarts in `/_status`.
    private func supervision(_ program: Program) async throws -> JSONValue? {
        let answer = try await RawSocket(port: program.adminPort).ask("GET", "/_status")
        return try JSONValue(answer.body)["supervision"]
    }

    @Test("A trap loses no document and refuses no connection, and is logged")
    func trap() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        #expect(try await supervision(program)?["restarts"]?.int == 0)
        for round in 1...3 {
            #expect(try await RawSocket(port: program.port).ask("PUT", "/shop/a\(round)", "{}").status == 201)
            _ = try? await RawSocket(port: program.adminPort).ask("POST", "/_trap")
            // At once, while no process accepts connections.
            let answer = try await RawSocket(port: program.port).ask("GET", "/shop/a\(round)")
            #expect(answer.status == 200)
            let line = try await program.logged("is started again")
            #expect(line.contains("restarts=\(round)") && line.contains("SIGILL"), "\(line)")
        }
        let status = try #require(try await supervision(program))
        #expect(status["supervised"]?.bool == true && status["restarts"]?.int == 3 && status["held_back"]?.array == [])
        #expect(status["last_reason"]?.string?.hasPrefix("signal ") == true && status["last_time"]?.string?.hasSuffix("Z") == true)
        let metrics = try await RawSocket(port: program.adminPort).ask("GET", "/metrics")
        #expect(metrics.text.contains("\ndualgauge_restarts_total 3\n"))
        program.signal(SIGTERM)
        #expect(await program.end() == 0)
    }

    @Test("A killed process is started again, and a process ends when its supervisor is killed")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        #expect(try await RawSocket(port: program.port).ask("PUT", "/shop/a", "{}").status == 201)
        let served = try #require(program.served)
        kill(served, SIGKILL)
        #expect(try await RawSocket(port: program.port).ask("GET", "/shop/a").status == 200)
        _ = try await program.logged("is started again")
        #expect(program.served != served)
        await program.kill()
        #expect(throws: (any Error).self) { try RawSocket(port: program.port) }
    }

    @Test("A process ends with its supervisor, also if unread notices are in the pipe")
    func killedWithNotices() async throws {
        let folder = try TemporaryFolder()
        let trap = try folder.write("database other", to: "trap")
        let program = try await Program(
            serving: try config(folder, "  other: { store: other.dualgauge }\n"), environment: ["DUALGAUGE_TRAP": trap])
        let served = try #require(program.served)
        _ = try folder.write("", to: "trap")
        program.signal(SIGSTOP)
        kill(served, SIGHUP)
        // The process notifies its supervisor, too.
        try await eventually { try await supervision(program)?["held_back"]?.array == [] }
        await program.kill()
        #expect(throws: (any Error).self) { try RawSocket(port: program.port) }
    }

    @Test("SIGINT stops the bridge, and SIGHUP reads the configuration again")
    func signals() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        _ = try config(folder, "  other: { store: other.dualgauge }\n")
        #expect(try await program.reload(until: "configuration reloaded").contains("added=other"))
        program.signal(SIGINT)
        #expect(await program.end() == 0)
    }

    @Test("Without a supervisor a trap ends the process")
    func alone() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(
            serving: try config(folder), "--no-supervisor", environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(try await supervision(program)?["supervised"]?.bool == false)
        _ = try? await RawSocket(port: program.adminPort).ask("POST", "/_trap")
        #expect(await program.end() == SIGILL)
    }

    @Test("A bridge that has served starts again when a mistake in its configuration is corrected")
    func mended() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        _ = try folder.write("databases: [", to: "dualgauge.yaml")
        kill(try #require(program.served), SIGKILL)
        let line = try await program.logged("exit code 2")
        #expect(line.contains("is started again"), "\(line)")
        _ = try config(folder)
        #expect(try await RawSocket(port: program.port).ask("GET", "/shop").status == 200)
        #expect(try await supervision(program)?["last_reason"]?.string == "exit code 2")
        program.signal(SIGTERM)
        #expect(await program.end() == 0)
    }

    @Test("A bridge that has never served ends with the error")
    func neverServed() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("", to: "shop.dualgauge")
        let result = try await Program.run("serve", "--config", try config(folder))
        #expect(result.code == 3 && !result.errors.contains("is started again"), "\(result)")
    }

    @Test("The start of a process is retried after an error of the system")
    func unstarted() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        let served = try #require(program.served)
        try await program.limitFiles(to: 3)
        kill(served, SIGKILL)
        let line = try await program.logged("cannot be started")
        #expect(line.contains("Too many open files"), "\(line)")
        try await program.limitFiles(to: 1_024)
        #expect(try await RawSocket(port: program.port).ask("GET", "/shop").status == 200)
        let status = try #require(try await supervision(program))
        #expect(status["restarts"]?.int == 1 && status["last_reason"]?.string == "signal 9 (SIGKILL)")
        await program.kill()
    }

    @Test("A killed process is started again also where SIGCHLD was ignored")
    func ignoring() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder), after: "trap '' CHLD")
        kill(try #require(program.served), SIGKILL)
        #expect(try await program.logged("is started again").contains("SIGKILL"))
        #expect(try await RawSocket(port: program.port).ask("GET", "/shop").status == 200)
        await program.kill()
    }

    @Test("A process that does not stop in time is killed")
    func hanging() async throws {
        let folder = try TemporaryFolder()
        let program = try await Program(serving: try config(folder))
        kill(try #require(program.served), SIGSTOP)
        program.signal(SIGTERM)
        #expect(await program.end() == 128 + SIGKILL)
    }

    @Test("A database that ends the bridge twice at its start is held back until it is repaired, and the others are served")
    func heldDatabase() async throws {
        let folder = try TemporaryFolder()
        let trap = try folder.write("database bad", to: "trap")
        let program = try await Program(
            serving: try config(folder, "  bad: { store: bad.dualgauge }\n"), environment: ["DUALGAUGE_TRAP": trap])
        #expect(try await RawSocket(port: program.port).ask("PUT", "/shop/a", "{}").status == 201)
        let answer = try await RawSocket(port: program.port).ask("GET", "/bad")
        #expect(answer.status == 503 && answer.text.contains("held back"), "\(answer)")
        let status = try #require(try await supervision(program))
        #expect(status["restarts"]?.int == 2 && status["held_back"]?.array == [.string("database bad")])
        let metrics = try await RawSocket(port: program.adminPort).ask("GET", "/metrics")
        #expect(metrics.text.contains("\ndualgauge_held_back 1\n"))
        _ = try folder.write("", to: "trap")
        #expect(try await program.reload(until: "configuration reloaded").contains("added=bad"))
        #expect(try await RawSocket(port: program.adminPort).ask("GET", "/bad").status == 200)
        #expect(try await supervision(program)?["held_back"]?.array == [])
        // The next process opens it, too.
        kill(try #require(program.served), SIGKILL)
        #expect(try await RawSocket(port: program.adminPort).ask("GET", "/bad").status == 200)
        let again = try #require(try await supervision(program))
        #expect(again["restarts"]?.int == 3 && again["held_back"]?.array == [])
        await program.kill()
    }

    @Test("A held-back database that is removed from the configuration is unknown")
    func removedDatabase() async throws {
        let folder = try TemporaryFolder()
        let trap = try folder.write("database bad", to: "trap")
        let program = try await Program(
            serving: try config(folder, "  bad: { store: bad.dualgauge }\n"), environment: ["DUALGAUGE_TRAP": trap])
        #expect(try await RawSocket(port: program.port).ask("GET", "/bad").status == 503)
        _ = try config(folder)
        #expect(try await program.reload(until: "configuration reloaded").contains("removed=bad"))
        #expect(try await RawSocket(port: program.port).ask("GET", "/bad").status == 404)
        #expect(try await supervision(program)?["held_back"]?.array == [])
        await program.kill()
    }

    @Test("A held-back database of the admin port can be taken out of service, and is not served after the next start")
    func deletedDatabase() async throws {
        let folder = try TemporaryFolder()
        let trap = try folder.write("", to: "trap")
        let program = try await Program(serving: try config(folder), environment: ["DUALGAUGE_TRAP": trap])
        #expect(try await RawSocket(port: program.adminPort).ask("PUT", "/made/", "{}").status == 201)
        _ = try folder.write("database made", to: "trap")
        kill(try #require(program.served), SIGKILL)
        let answer = try await RawSocket(port: program.port).ask("GET", "/made")
        #expect(answer.status == 503 && answer.text.contains("held back"), "\(answer)")
        #expect(try await RawSocket(port: program.adminPort).ask("DELETE", "/made/").status == 200)
        #expect(try await RawSocket(port: program.port).ask("GET", "/made").status == 404)
        #expect(try await supervision(program)?["held_back"]?.array == [])
        _ = try folder.write("", to: "trap")
        kill(try #require(program.served), SIGKILL)
        #expect(try await RawSocket(port: program.port).ask("GET", "/made").status == 404)
        await program.kill()
    }

    @Test("A replication that ends the bridge twice is held back until it is started by hand, and the others run")
    func heldReplication() async throws {
        let folder = try TemporaryFolder()
        let remotes = (try TemporaryFolder(), try TemporaryFolder())
        let server = try await Program(serving: try config(remotes.0))
        let replications = ["bad", "good"].map { "      \($0): { remote: \"http://127.0.0.1:\(server.port)/shop\", continuous: true }\n" }
        let trap = try folder.write("replication shop/bad", to: "trap")
        let program = try await Program(
            serving: try config(folder, "    replications:\n" + replications.joined()), environment: ["DUALGAUGE_TRAP": trap])
        #expect(try await RawSocket(port: server.port).ask("PUT", "/shop/a", "{}").status == 201)
        // The other replication transfers it.
        let feed = try await RawSocket(port: program.port).ask("GET", "/shop/_changes?feed=longpoll&since=0")
        #expect(feed.text.contains(#""id":"a""#), "\(feed)")
        let supervised = try #require(try await supervision(program))
        #expect(supervised["held_back"]?.array == [.string("replication shop/bad")])
        let status = try await RawSocket(port: program.adminPort).ask("GET", "/shop/_replicationStatus/bad")
        #expect(status.text.contains("held back"), "\(status)")
        _ = try folder.write("", to: "trap")
        let started = try await RawSocket(port: program.adminPort).ask("PUT", "/shop/_replicationStatus/bad?action=start")
        #expect(started.status == 200, "\(started)")
        try await eventually { try await supervision(program)?["held_back"]?.array == [] }
        // The next process starts it, too.
        kill(try #require(program.served), SIGKILL)
        _ = try await program.logged("is started again")
        let again = try await RawSocket(port: program.adminPort).ask("GET", "/shop/_replicationStatus/bad")
        #expect(again.status == 200 && !again.text.contains("held back"), "\(again)")
        #expect(try await supervision(program)?["held_back"]?.array == [])
        await program.kill()
        await server.kill()
    }
}
