import Documents
import Foundation
import Testing

@Suite("A crash in the middle of a step", .serialized, .timeLimit(.minutes(5)))
struct CutoverCrashTests {
    /// A hook crashes the bridge as a power failure would. Returns the stage after the restart, and the direction of the replication.
    private func stage(afterCrashIn phase: String) async throws -> (stage: String?, direction: String?) {
        let folder = try TemporaryFolder()
        let hook = try folder.write("#!/bin/sh\nkill -9 $PPID\n", to: "hook.sh")
        try ExecutableFile.mark(hook)
        func configuration(_ hooks: String) -> String {
            """
            listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
            databases:
              shop:
                store: ./shop.dualgauge
                replications:
                  legacy: { remote: "http://127.0.0.1:1/shop", continuous: true }
                cutover: { legacy: legacy, gates: { parity: skip }, hooks: { \(hooks) } }
            """
        }
        let first = try await Program(serving: try folder.write(configuration("\(phase): [ hook.sh ]"), to: "first.yaml"))
        let step = try await Program.run(
            "cutover", "advance", "shop", "--force", "--reason", "a crash", "--admin", first.adminURL)
        #expect(step.code == 3, "\(step)")
        await first.kill()
        let second = try await Program(serving: try folder.write(configuration(""), to: "second.yaml"))
        let status = try await Program.run("cutover", "status", "shop", "--json", "--admin", second.adminURL)
        let socket = try RawSocket(port: second.adminPort)
        let replication = try await socket.ask("GET", "/shop/_replication/legacy")
        socket.cut()
        await second.kill()
        return (try JSONValue(Array(status.output.utf8))["stage"]?.string, try replication.json["direction"]?.string)
    }

    @Test("A crash before the stage is stored undoes the step; after a later crash the step and its effects are there")
    func crashes() async throws {
        let before = try await stage(afterCrashIn: "before")
        #expect(before.stage == "shadow" && before.direction == "pull")
        let after = try await stage(afterCrashIn: "after")
        #expect(after.stage == "dual" && after.direction == "pushAndPull")
    }
}
