import BridgeConfiguration
import Cutover
import Documents
import Gateway
import SQLiteStorage
import Server
import Storage
import TestSupport
import Testing

@Suite("The stages of a cutover, from a 1.x server to a bridge", .serialized, .timeLimit(.minutes(5)))
struct CutoverStageTests {
    @Test("After every step forward and back, with writes on both sides, both servers converge and nothing is offered back")
    func arrows() async throws {
        try await CutoverWorld.withOld { old in
            for number in 0..<5 { try await CutoverWorld.write("old\(number)", #"{"type":"order"}"#, on: old) }
            try await CutoverWorld.run(over: old) {
                $0.limits.oldClientsQuietFor = 0
            } _: { world in
                #expect(try await world.stage == "shadow")
                try await world.converged(5)
                try await world.allShown()
                try await CutoverWorld.write("kept", on: world.new)

                try await world.step(.advance, to: .dual)
                try await world.converged(6)
                let metrics = try await world.new.admin("GET", "/metrics").text
                #expect(metrics.contains(#"dualgauge_cutover_stage{database="shop",stage="dual"} 1"#))
                #expect(metrics.contains(#"dualgauge_cutover_stage{database="shop",stage="shadow"} 0"#))
                try await world.expectPushed(1)
                try await CutoverWorld.write("both", on: world.new)
                try await CutoverWorld.write("old5", on: world.old)
                try await world.converged(8)

                try await world.step(.reverse, to: .shadow)
                try await CutoverWorld.write("old6", on: world.old)
                try await CutoverWorld.arrive("old6", at: world.new)
                try await world.allShown()
                try await CutoverWorld.write("alone", on: world.new)
                try await world.step(.advance, to: .dual)
                try await world.converged(10)
                try await world.expectPushed(1)

                try await world.step(.advance, to: .switched)
                try await CutoverWorld.write("here", on: world.new)
                try await world.converged(11)
                try await CutoverWorld.write("straggler", on: world.old)
                let refused = try await world.ask(#"{"action":"advance"}"#)
                #expect(refused.status == 412, "\(refused.text)")
                let parity = try refused.json["gates"]?.array?.first { $0["name"]?.string == "parity" }
                #expect(parity?["passed"]?.bool == false && parity?["measured"]?.int == 1, "\(refused.text)")
                #expect(try await world.stage == "switched")

                try await world.step(.reverse, to: .dual)
                try await world.converged(12)
                try await world.step(.advance, to: .switched)
                try await world.step(.advance, to: .complete)
                try await CutoverWorld.write("later", on: world.new)
                #expect(try await CutoverWorld.leaves(of: world.old).count == 12)

                try await world.step(.reverse, to: .switched)
                try await world.converged(13)
                try await world.step(.advance, to: .complete)
                try await world.step(.advance, to: .sunset)
                try await world.step(.reverse, to: .complete)
                #expect(try await world.new.ask("GET", "/shop/later").status == 200)

                let history = try await world.status()["history"]?.array ?? []
                let taken = history.filter { $0["outcome"]?.string == "taken" }
                #expect(taken.count == 11 && history.count == 12, "\(history)")
                #expect(history.first?["to"]?.string == "complete" && history.first?["from"]?.string == "sunset")
                #expect(history.allSatisfy { $0["forced"]?.bool == false })
                try await world.new.expectSoundStore(after: "a cutover")
            }
        }
    }

    @Test("Under load steps wait for their gates, and no write is lost or sent twice")
    func load() async throws {
        let count = 40
        try await CutoverWorld.run { world in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, side) in [("old", world.old), ("new", world.new)] {
                    group.addTask {
                        for number in 0..<count { try await CutoverWorld.write("\(name)\(number)", #"{"type":"order"}"#, on: side) }
                    }
                }
                group.addTask {
                    for stage in ["dual", "switched"] { try await world.insist("advance", to: stage) }
                    for stage in ["dual", "shadow"] { try await world.insist("reverse", to: stage) }
                    try await world.insist("advance", to: "dual")
                }
                try await group.waitForAll()
            }
            try await world.converged(2 * count)
            let leaves = try await CutoverWorld.leaves(of: world.new)
            #expect(leaves.values.allSatisfy { $0.count == 1 && $0.allSatisfy { $0.hasPrefix("1-") } })
            try await world.new.expectSoundStore(after: "steps under load")
        }
    }

    @Test("A restart at each stage keeps the stage and its effects")
    func restarts() async throws {
        let folder = try TemporaryFolder()
        let directions: [CutoverStage: String] = [.shadow: "pull", .dual: "pushAndPull", .switched: "push"]
        try await CutoverWorld.withOld { old in
            for stage in CutoverStage.allCases {
                try await CutoverWorld.run(over: old, in: folder) { world in
                    if stage != .shadow { try await world.force(.advance) }
                    #expect(try await world.direction == directions[stage])
                }
                try await CutoverWorld.run(over: old, in: folder) { world in
                    #expect(try await world.stage == stage.rawValue)
                    #expect(try await world.direction == directions[stage])
                    #expect(try await world.new.ask("GET", "/shop/").status == (stage == .sunset ? 403 : 200))
                    let id = "at-\(stage.rawValue)"
                    if stage.pullsFromLegacy {
                        try await CutoverWorld.write("old-\(id)", on: world.old)
                        try await CutoverWorld.arrive("old-\(id)", at: world.new)
                    }
                    if stage.pushesToLegacy {
                        try await CutoverWorld.write("new-\(id)", on: world.new)
                        try await CutoverWorld.arrive("new-\(id)", at: world.old)
                    }
                }
            }
        }
    }

    @Test("A reload that changes the database keeps its stage")
    func reload() async throws {
        try await CutoverWorld.run { world in
            try await world.force(.advance)
            var configuration = world.new.bridge.configuration
            configuration.databases[0].configuration.limits.revisionDepth = 50
            #expect(try await world.new.bridge.reload(configuration).changed == ["shop"])
            #expect(try await world.stage == "dual")
            #expect(try await world.direction == "pushAndPull")
            configuration.databases[0].cutover = nil
            #expect(try await world.new.bridge.reload(configuration).changed == ["shop"])
            #expect(try await world.new.admin("GET", "/shop/_cutover").status == 404)
            #expect(try await world.direction == "pushAndPull")
        }
    }

    @Test("Invalid requests are refused with 400, and steps that do not exist with 409")
    func refusals() async throws {
        try await CutoverWorld.run { world in
            for body in [
                "", "[]", "{}", #"{"action":"jump"}"#, #"{"action":"advance","to":"moon"}"#, #"{"action":"advance","force":1}"#,
                #"{"action":"advance","force":true}"#, #"{"action":"advance","force":true,"reason":" "}"#, #"{"action":"advance","x":1}"#,
            ] {
                #expect(try await world.ask(body).status == 400, "\(body)")
            }
            #expect(try await world.ask(#"{"action":"reverse"}"#).status == 409)
            #expect(try await world.ask(#"{"action":"advance","to":"sunset"}"#).status == 409)
            let same = try await world.ask(#"{"action":"advance","to":"shadow"}"#)
            #expect(try same.status == 200 && same.json["outcome"]?.string == "unchanged")
            #expect(try await world.status()["history"]?.array?.isEmpty == true)
            #expect(try await world.new.ask("GET", "/shop/_cutover").status == 404)
            #expect(try await world.new.admin("GET", "/none/_cutover").status == 404)
        }
    }
}

extension CutoverWorld {
    /// Waits until the bridge has recorded for every document that the old server has it.
    fileprivate func allShown() async throws {
        try await eventually { try await new.store.read({ try $0.firstUnshown() }) == nil }
    }

    /// Requests a step until the gates are open.
    fileprivate func insist(_ action: String, to stage: String) async throws {
        try await eventually {
            let answer = try await ask(#"{"action":"\#(action)","to":"\#(stage)"}"#)
            guard answer.status == 200 || answer.status == 412 else { throw RawSocket.Failure(message: answer.text) }
            return answer.status == 200
        }
    }

    /// Waits until a number of documents has been pushed since the last step, and expects that no others were offered.
    fileprivate func expectPushed(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually {
            let status = try await new.admin("GET", "/shop/_replicationStatus/legacy").json
            guard status["docs_written"]?.int == count else { return false }
            #expect(status["docs_checked_push"]?.int == count, "\(status)", sourceLocation: sourceLocation)
            return true
        }
    }
}
