/// A database's stage and the possible steps from it.
package struct CutoverStatus: Hashable, Sendable {
    package let stage: CutoverStage

    /// The gates of the forward step, followed by those gates of the backward step that the forward step lacks.
    package let gates: [Gate]

    /// Why the forward step is not possible; empty if it is.
    package let advanceReasons: [String]

    /// Why the backward step is not possible; empty if it is.
    package let reverseReasons: [String]

    package init(stage: CutoverStage, measurements: CutoverMeasurements, limits: GateLimits) {
        self.stage = stage
        let forward = Self.gates(.advance, stage, measurements, limits)
        let back = Self.gates(.reverse, stage, measurements, limits)
        gates = (forward ?? []) + (back ?? []).filter { gate in forward?.contains { $0.kind == gate.kind } != true }
        advanceReasons = Self.reasons(forward, "`\(stage.rawValue)` is the last stage.")
        reverseReasons = Self.reasons(back, "`\(stage.rawValue)` is the first stage.")
    }

    package var canAdvance: Bool { advanceReasons.isEmpty }
    package var canReverse: Bool { reverseReasons.isEmpty }

    private static func gates(
        _ action: CutoverAction, _ stage: CutoverStage, _ measurements: CutoverMeasurements, _ limits: GateLimits
    ) -> [Gate]? {
        CutoverStep(action, from: stage)?.evaluate(measurements, limits: limits)
    }

    private static func reasons(_ gates: [Gate]?, _ none: String) -> [String] {
        gates.map { $0.filter { !$0.isPassed }.map(\.message) } ?? [none]
    }
}
