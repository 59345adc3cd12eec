import Cutover

/// What came of a request to take a step.
struct CutoverReport: Sendable {
    enum Result: String, Sendable {
        /// The database stands at the other stage.
        case taken
        /// A dry run: it would be taken, if no hook stops it.
        case planned
        /// The database was there already.
        case unchanged
        /// A gate has refused it.
        case refused
        /// A hook has stopped it.
        case stopped

        /// Whether what was asked for is so.
        var isSuccess: Bool { self != .refused && self != .stopped }
    }

    var result: Result

    /// `nil` if there was nothing to be done.
    var step: CutoverStep?
    var gates: [Gate] = []
    var hooks: [HookResult] = []

    /// Why it was not taken, and what to do.
    var reason: String {
        switch result {
        case .taken, .planned, .unchanged: ""
        case .refused: gates.filter { !$0.isPassed }.map(\.message).joined(separator: " ")
        case .stopped: hooks.filter { !$0.hasSucceeded }.map { "\($0.description): \($0.output)" }.joined(separator: " ")
        }
    }
}
