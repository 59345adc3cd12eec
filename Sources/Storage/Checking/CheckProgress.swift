/// How far a check of a store is.
public struct CheckProgress: Sendable {
    /// What a check looks at, in this order.
    public enum Stage: String, Sendable {
        case file, documents, references, attachments
    }

    public let stage: Stage

    /// Steps done in this stage, and how many there are, about.
    public let done: Int64
    public let total: Int64

    public init(stage: Stage, done: Int64, total: Int64) {
        self.stage = stage
        self.done = done
        self.total = total
    }
}
