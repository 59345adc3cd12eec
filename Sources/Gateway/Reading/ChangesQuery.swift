public import Documents
public import Storage

/// What a changes feed is asked for.
public struct ChangesQuery: Sendable {
    /// Rows behind this one.
    public var since: Sequence = .zero

    /// At most this many rows in one batch.
    public var limit = 1000

    /// Whether every leaf is listed, or the winner alone.
    public var allLeaves = false

    /// Whether tombstones and removals are left out.
    public var activeOnly = false
    public var descending = false

    /// Only these documents.
    public var documentIDs: Set<ExactString>?

    /// Whether each row brings the winner's content.
    public var includesContent = false

    public init() {}
}
