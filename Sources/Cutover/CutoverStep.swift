/// A step from one stage to the one beside it.
package struct CutoverStep: Hashable, Sendable {
    package let action: CutoverAction
    package let from: CutoverStage
    package let to: CutoverStage

    private init(_ action: CutoverAction, from: CutoverStage, to: CutoverStage) {
        self.action = action
        self.from = from
        self.to = to
    }

    /// The step that an action means; `nil` where there is no stage to go to.
    package init?(_ action: CutoverAction, from stage: CutoverStage) {
        guard let to = action == .advance ? stage.next : stage.previous else { return nil }
        self.init(action, from: stage, to: to)
    }

    /// Plans what somebody asks for. Stages are gone through one by one: each has gates of its own, and its effects have to be seen before the next.
    ///
    /// - Parameter target: The stage that is meant, if it was said.
    /// - Returns: `nil` if the database is at `target` already, so that a repeated request does no harm.
    /// - Throws: ``CutoverError`` if there is no such step.
    package static func plan(
        _ action: CutoverAction, from stage: CutoverStage, to target: CutoverStage? = nil
    ) throws(CutoverError) -> CutoverStep? {
        if target == stage { return nil }
        guard let step = CutoverStep(action, from: stage) else {
            throw CutoverError(
                .noStep,
                action == .advance
                    ? "The database is at `\(stage.rawValue)`, the last stage."
                    : "The database is at `\(stage.rawValue)`, the first stage; there is nothing to take back.")
        }
        guard let target, target != step.to else { return step }
        throw CutoverError(
            .notNext,
            """
            From `\(stage.rawValue)` the next stage by `\(action.rawValue)` is `\(step.to.rawValue)`, not `\(target.rawValue)`. \
            Stages are gone through one by one.
            """)
    }

    /// The gates that the step has to pass.
    ///
    /// Forward they tell whether anything could be missing where the fleet goes. Back they tell whether the old server has all that was
    /// written: from `switched` nothing is asked, because `dual` only adds the pull, which goes on where it stopped; from `sunset` nothing,
    /// because only who is served changes.
    package var gates: [GateKind] {
        switch (action, from) {
        case (.advance, .shadow), (.advance, .dual), (.advance, .switched): [.scope, .parity, .lag, .parked]
        case (.advance, .complete): [.oldClients]
        case (.reverse, .dual): [.lag, .parked]
        case (.reverse, .complete): [.history]
        default: []
        }
    }

    /// Looks at everything that the step has to pass.
    package func evaluate(_ measurements: CutoverMeasurements, limits: GateLimits) -> [Gate] {
        gates.map { Gate($0, measurements, limits: limits) }
    }
}

/// Which way a step goes.
package enum CutoverAction: String, Hashable, Sendable, CaseIterable {
    case advance
    case reverse
}
