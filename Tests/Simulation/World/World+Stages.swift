import Cutover

extension World {
    /// Takes a step of the cutover, whatever most of its gates would say: clients and upstreams are as they happen to be. A bridge that was restored
    /// does not leave the old server before it has pulled again what it has lost.
    func step(_ action: CutoverAction) -> String {
        guard let from = stage, let step = CutoverStep(action, from: from) else { return "no such step" }
        guard !isBehind || step.to.pullsFromLegacy || !from.pullsFromLegacy else { return "the old server has more" }
        if let arrow = Happening(rawValue: "\(from.rawValue) to \(step.to.rawValue)") { ledger.happen(arrow) }
        stage = step.to
        return "to \(step.to.rawValue)"
    }

    /// What a replication with an upstream does at this stage of what it is asked for; `nil` for nothing.
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
    func judgeStage() async throws {
        guard stage != nil else { return }
        try await settle()
        try await judge()
    }

    /// Goes back to where both servers have everything, so that it shows whether a stage has lost something.
    func returnToDual() async throws {
        while let from = stage, from != .dual {
            note("back: \(step(from == .shadow ? .advance : .reverse))")
            try await judgeStage()
        }
    }
}
