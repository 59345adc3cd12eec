/// A step from one stage to an adjacent one.
package struct CutoverStep: Hashable, Sendable {
    package let action: CutoverAction
    package let from: CutoverStage
    package let to: CutoverStage

    private init(_ action: CutoverAction, from: CutoverStage, to: CutoverStage) {
        self.action = action
        self.from = from
        self.to = to
    }

    /// The step of an action; `nil` if the stage is the last one in that direction.
    package init?(_ action: CutoverAction, from stage: CutoverStage) {
        guard let to = action == .advance ? stage.next : stage.previous else { return nil }
        self.init(action, from: stage, to: to)
    }

    /// Plans the step for a request.
    ///
    /// Stages cannot be skipped: each stage has its own gates, and its effects have to be observed before the next step.
    ///
    /// - Parameter target: The requested stage; `nil` for the adjacent one.
    /// - Returns: `nil` if the database is already at `target`, so that a repeated request has no effect.
    /// - Throws: ``CutoverError`` if no such step exists.
    package static func plan(
        _ action: CutoverAction, from stage: CutoverStage, to target: CutoverStage? = nil
    ) throws(CutoverError) -> CutoverStep? {
        if target == stage { return nil }
        guard let step = CutoverStep(action, from: stage) else {
            throw CutoverError(
                .noStep,
                action == .advance
                    ? "The database is at `\(stage.rawValue)`, the last stage."
                    : "The database is at `\(stage.rawValue)`, the first stage; there is no step back.")
        }
        guard let target, target != step.to else { return step }
        throw CutoverError(
            .notNext,
            """
            From `\(stage.rawValue)` the next stage by `\(action.rawValue)` is `\(step.to.rawValue)`, not `\(target.rawValue)`. \
            Stages are taken one at a time.
            """)
    }

    /// The gates that the step has to pass.
    ///
    /// - Forward gates check that no documents are missing on the side that serves clients after the step.
    /// - Backward gates check that the old server has every document written here.
    /// - From `switched` back there is no gate, because `dual` only adds the pull, which continues from its checkpoint.
    /// - From `sunset` back there is no gate, because only the set of served clients changes.
    package var gates: [GateKind] {
        switch (action, from) {
        case (.advance, .shadow), (.advance, .dual), (.advance, .switched): [.scope, .parity, .lag, .parked]
        case (.advance, .complete): [.oldClients]
        case (.reverse, .dual): [.lag, .parked]
        case (.reverse, .complete): [.history]
        default: []
        }
    }

    /// Evaluates every gate of the step.
    package func evaluate(_ measurements: CutoverMeasurements, limits: GateLimits) -> [Gate] {
        gates.map { Gate($0, measurements, limits: limits) }
    }
}

/// Direction of a step.
package enum CutoverAction: String, Hashable, Sendable, CaseIterable {
    case advance
    case reverse
}
