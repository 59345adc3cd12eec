/// An entry of the cutover audit: a step that was taken or refused.
package struct CutoverStepRecord: Sendable, Equatable {
    /// Counted from 1; 0 before it is stored.
    package var number: Int64

    /// Milliseconds since 1970.
    package var time: Int64

    /// The names of the stages.
    package var from: String
    package var to: String
    package var outcome: String

    /// Whether gates were overridden.
    package var isForced: Bool

    /// The administrator's reason; empty if there is none.
    package var reason: String

    /// The gates' measurements as JSON.
    package var gates: String

    package init(
        number: Int64 = 0, time: Int64, from: String, to: String, outcome: String, isForced: Bool, reason: String, gates: String
    ) {
        self.number = number
        self.time = time
        self.from = from
        self.to = to
        self.outcome = outcome
        self.isForced = isForced
        self.reason = reason
        self.gates = gates
    }
}
