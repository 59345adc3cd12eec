import Cutover

extension World {
    /// Takes a step of the cutover, without most of its gates: in any state of clients and upstreams. A bridge that was restored, or that a client of the
    /// old server came to, leaves the old server only after it has pulled what it lacks.
    func step(_ action: CutoverAction) -> String {
        guard let from = stage, let step = CutoverStep(action, from: from) else { return "no such step" }
        guard !isBehind || step.to.pullsFromLegacy || !from.pullsFromLegacy else { return "the old server has more" }
        if let arrow = Happening(rawValue: "\(from.rawValue) to \(step.to.rawValue)") { ledger.happen(arrow) }
        stage = step.to
        return "to \(step.to.rawValue)"
    }

    /// The directions of a requested replication with an upstream at this stage; `nil` for none.
    func allowed(_ direction: Direction, with upstream: Upstream) -> Direction? {
        guard upstream == .legacy, let stage else { return direction }
        switch (direction.pulls && stage.pullsFromLegacy, direction.pushes && stage.pushesToLegacy) {
        case (true, true): return .both
        case (true, false): return .pull
        case (false, true): return .push
        case (false, false): return nil
        }
    }

    /// Checks the invariants after a step.
    func checkStage() async throws {
        guard stage != nil else { return }
        try await replicateUntilQuiet()
        try await checkInvariants()
    }

    /// Goes back to `dual`, which shows whether a stage has lost documents.
    func returnToDual() async throws {
        while let from = stage, from != .dual {
            record("back: \(step(from == .shadow ? .advance : .reverse))")
            try await checkStage()
        }
    }
}
