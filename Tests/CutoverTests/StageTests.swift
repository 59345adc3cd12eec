import Testing

@testable import Cutover

@Suite("Stages of a cutover")
struct StageTests {
    @Test(
        "Each stage defines the directions of replication and the admitted clients",
        arguments: zip(
            CutoverStage.allCases,
            [(true, false, true), (true, true, true), (false, true, true), (false, false, true), (false, false, false)]))
    func meaning(stage: CutoverStage, expected: (pulls: Bool, pushes: Bool, serves: Bool)) {
        #expect(stage.pullsFromLegacy == expected.pulls)
        #expect(stage.pushesToLegacy == expected.pushes)
        #expect(stage.servesLegacyClients == expected.serves)
        #expect(stage.isDetached == (!expected.pulls && !expected.pushes))
        #expect(!stage.meaning.isEmpty)
    }

    @Test("Stages are reached one by one, in both directions", arguments: CutoverStage.allCases)
    func neighbours(stage: CutoverStage) {
        #expect(stage.next.map(\.previous) ?? stage == stage)
        #expect(stage.previous.map(\.next) ?? stage == stage)
        #expect((stage.next == nil) == (stage == .sunset))
        #expect((stage.previous == nil) == (stage == .shadow))
    }

    @Test(
        "A step is planned for an adjacent stage, is empty for the stage itself, and is refused for others",
        arguments: CutoverStage.allCases)
    func plans(stage: CutoverStage) throws {
        for action in CutoverAction.allCases {
            let neighbour = action == .advance ? stage.next : stage.previous
            if let neighbour {
                let step = try #require(try CutoverStep.plan(action, from: stage))
                #expect(step.action == action && step.from == stage && step.to == neighbour)
            } else {
                #expect(throws: CutoverError.self) { _ = try CutoverStep.plan(action, from: stage) }
            }
            for target in CutoverStage.allCases {
                do {
                    let step = try CutoverStep.plan(action, from: stage, to: target)
                    #expect(target == stage ? step == nil : step?.to == target && target == neighbour)
                } catch {
                    #expect(target != stage && target != neighbour)
                    #expect(error.code == (neighbour == nil ? .noStep : .notNext))
                    #expect(error.description.contains(stage.rawValue))
                }
            }
        }
    }

    @Test("No step starts or stops a pull and a push at once, so that every step back loses nothing", arguments: CutoverStage.allCases)
    func gentle(stage: CutoverStage) {
        guard let next = stage.next else { return }
        let changes = [
            stage.pullsFromLegacy != next.pullsFromLegacy, stage.pushesToLegacy != next.pushesToLegacy,
            stage.servesLegacyClients != next.servesLegacyClients,
        ]
        #expect(changes.filter { $0 }.count == 1)
    }

    @Test("Each step has its gates")
    func gates() {
        let forward: [CutoverStage: [GateKind]] = [
            .shadow: [.scope, .parity, .lag, .parked], .dual: [.scope, .parity, .lag, .parked],
            .switched: [.scope, .parity, .lag, .parked],
            .complete: [.oldClients],
        ]
        let back: [CutoverStage: [GateKind]] = [.dual: [.lag, .parked], .switched: [], .complete: [.history], .sunset: []]
        for stage in CutoverStage.allCases {
            #expect(CutoverStep(.advance, from: stage)?.gates == forward[stage])
            #expect(CutoverStep(.reverse, from: stage)?.gates == back[stage])
        }
    }

    @Test("Overriding gates requires a reason, which is stored up to a limit")
    func requests() throws {
        for reason in ["", "  \n"] {
            #expect(throws: CutoverError.self) { _ = try CutoverRequest(.advance, isForced: true, reason: reason) }
            #expect(try CutoverRequest(.advance, reason: reason).isForced == false)
        }
        let long = try CutoverRequest(.reverse, to: .dual, isForced: true, reason: String(repeating: "x", count: 5_000), isDryRun: true)
        #expect(long.reason.count == CutoverRequest.maximumReason)
        #expect(long.isForced && long.isDryRun && long.target == .dual && long.action == .reverse)
    }
}
