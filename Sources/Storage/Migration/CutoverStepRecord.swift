/// A step of a cutover that was taken, or refused: one line of the audit.
public struct CutoverStepRecord: Sendable, Equatable {
    /// Counted from 1; 0 until the store has added it.
    public var number: Int64

    /// Milliseconds since 1970.
    public var time: Int64

    /// The stages' names.
    public var from: String
    public var to: String
    public var outcome: String

    /// Whether gates were overridden.
    public var isForced: Bool

    /// What was given as the reason; empty if nothing was.
    public var reason: String

    /// JSON: what the gates measured.
    public var gates: String

    public init(
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
