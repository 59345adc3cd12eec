import BridgeConfiguration
import Cutover
import Documents
import Foundation
import Gateway
import Server
import Testing

@Suite("Gates and hooks of a cutover, by the command line", .serialized, .timeLimit(.minutes(5)))
struct CutoverGateTests {
    private func cutover(_ world: CutoverWorld, _ arguments: String...) async throws -> Program.Result {
        try await Program.run(["cutover"] + arguments + ["--admin", "http://127.0.0.1:\(world.new.adminPort)"])
    }

    @Test("A closed gate gives exit code 4, --force needs a reason, which is stored; other errors have other exit codes")
    func gates() async throws {
        try await CutoverWorld.run { world in
            try await CutoverWorld.write("a", on: world.old)
            try await CutoverWorld.arrive("a", at: world.new)
            #expect(try await world.new.admin("PUT", "/shop/_replicationStatus/legacy?action=stop").status == 200)
            try await CutoverWorld.write("b", on: world.old)
            for arguments in [["advance", "shop"], ["advance", "shop", "--dry-run"]] {
                let refused = try await Program.run(
                    ["cutover"] + arguments + ["--admin", "http://127.0.0.1:\(world.new.adminPort)"])
                #expect(refused.code == 4, "\(refused)")
                #expect(refused.output.contains("REFUSES") && refused.output.contains("Refused: shadow -> dual"), "\(refused.output)")
                #expect(refused.output.contains("1 missing"), "\(refused.output)")
            }
            let status = try await cutover(world, "status", "shop")
            #expect(status.code == 0 && status.output.contains("Stage: shadow"), "\(status)")
            #expect(status.output.contains("Forward: dual is not open yet:"), "\(status.output)")
            #expect(try await cutover(world, "advance", "shop", "--force").code == 2)
            #expect(try await cutover(world, "advance", "shop", "--to", "sunset").code == 2)
            #expect(try await cutover(world, "advance", "none").code == 2)
            #expect(try await Program.run("cutover", "status", "shop", "--admin", "http://127.0.0.1:1").code == 3)
            #expect(try await world.stage == "shadow")

            let forced = try await cutover(world, "advance", "shop", "--force", "--reason", "b is\nno loss", "--json")
            #expect(forced.code == 0, "\(forced)")
            let json = try JSONValue(Array(forced.output.utf8))
            #expect(json["outcome"]?.string == "taken" && json["stage"]?.string == "dual" && json["forced"]?.bool == true)
            let history = json["history"]?.array ?? []
            #expect(history.map { $0["outcome"]?.string } == ["taken", "refused"], "\(history)")
            #expect(history.first?["reason"]?.string == "b is\nno loss" && history.first?["forced"]?.bool == true)
            #expect(history.map { $0["number"]?.int } == [2, 1])
            let again = try await cutover(world, "status", "shop")
            #expect(again.output.contains("b is no loss"), "\(again.output)")
            // The replication runs again, in the direction of the other stage.
            try await world.converged(2)
            try await world.caughtUp()
            let dry = try await cutover(world, "advance", "shop", "--to", "switched", "--dry-run")
            #expect(dry.code == 0 && dry.output.contains("It can be taken: dual -> switched"), "\(dry)")
            #expect(try await world.stage == "dual")
            let ready = try await world.status()
            #expect(ready["canAdvance"]?.bool == true && ready["parity"]?["compared"]?.int == 2, "\(ready)")
            // Without a pull, a step compares again even after a recent comparison.
            #expect(try await cutover(world, "advance", "shop", "--to", "switched").code == 0)
            try await world.caughtUp()
            #expect(try await cutover(world, "advance", "shop", "--to", "complete", "--dry-run").code == 0)
            try await CutoverWorld.write("straggler", on: world.old)
            let late = try await cutover(world, "advance", "shop", "--to", "complete")
            #expect(late.code == 4 && late.output.contains("1 missing"), "\(late)")
        }
    }

    @Test("During a step another step and another configuration are refused, and the status is served")
    func busy() async throws {
        let folder = try TemporaryFolder()
        let hook = try folder.write(
            """
            #!/bin/sh
            touch '\(folder.path)/begun'
            while [ ! -e '\(folder.path)/go' ]; do sleep 0.05; done
            """, to: "hook.sh")
        try ExecutableFile.mark(hook)
        try await CutoverWorld.run {
            $0.limits.requiresParity = false
            $0.hooks.before = [hook]
        } _: { world in
            async let first = world.ask(#"{"action":"advance","force":true,"reason":"a test"}"#)
            while !FileManager.default.fileExists(atPath: "\(folder.path)/begun") {
                #expect(try await world.stage == "shadow")
            }
            let second = try await world.ask(#"{"action":"advance","force":true,"reason":"a test"}"#)
            #expect(second.status == 409, "\(second.text)")
            var configuration = world.new.bridge.configuration
            configuration.databases[0].configuration.limits.revisionDepth = 50
            #expect(try await world.new.bridge.reload(configuration).failed["shop"]?.contains("being changed") == true)
            #expect(try await world.stage == "shadow")
            _ = try folder.write("", to: "go")
            #expect(try await first.status == 200)
            #expect(try await world.stage == "dual")
        }
    }

    @Test("A failing hook before the step stops it and its output is returned; one after it does not; both get the step's data")
    func hooks() async throws {
        let folder = try TemporaryFolder()
        let before = try folder.write(
            """
            #!/bin/sh
            cat > '\(folder.path)/seen'
            echo "$DUALGAUGE_DATABASE $DUALGAUGE_PHASE $DUALGAUGE_ACTION $DUALGAUGE_FROM $DUALGAUGE_TO $DUALGAUGE_FORCED" >> '\(folder.path)/seen'
            test -e '\(folder.path)/go' || { echo 'not on a Friday'; exit 3; }
            """, to: "before.sh")
        let after = try folder.write("#!/bin/sh\necho 'nobody to tell' >&2\nexit 1\n", to: "after.sh")
        try ExecutableFile.mark(before, after)
        try await CutoverWorld.run {
            $0.limits.requiresParity = false
            $0.hooks.before = [before]
            $0.hooks.after = [after]
        } _: { world in
            try await world.caughtUp()
            let stopped = try await cutover(world, "advance", "shop")
            #expect(stopped.code == 4 && stopped.output.contains("not on a Friday"), "\(stopped)")
            #expect(stopped.output.contains("Stopped by a hook: shadow -> dual. The database is at shadow."), "\(stopped.output)")
            #expect(try await world.direction == "pull")
            let seen = try String(contentsOfFile: "\(folder.path)/seen", encoding: .utf8).split(separator: "\n")
            #expect(seen.last == "shop before advance shadow dual false")
            let input = try JSONValue(Array((seen.first ?? "").utf8))
            #expect(input["from"]?.string == "shadow" && input["gates"]?.array?.isEmpty == false)
            #expect(try await world.status()["history"]?.array?.first?["outcome"]?.string == "stopped")
            let refused = try await world.ask(#"{"action":"advance"}"#)
            #expect(refused.status == 412)
            #expect(try refused.json["reason"]?.string?.contains("exit code 3") == true, "\(refused.text)")

            _ = try folder.write("", to: "go")
            let taken = try await cutover(world, "advance", "shop")
            #expect(taken.code == 1 && taken.output.contains("nobody to tell"), "\(taken)")
            #expect(try await world.stage == "dual")
            #expect(try await world.direction == "pushAndPull")
        }
    }
}
