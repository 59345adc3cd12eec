public import Documents

/// What a changes feed is asked for.
public struct ChangesQuery: Sendable {
    /// Rows behind this one.
    public var since = FeedPosition.zero

    /// At most this many rows in one batch.
    public var limit = 1000

    /// Whether every leaf is listed, or the winner alone.
    public var allLeaves = false

    /// Whether tombstones and removals are left out.
    public var activeOnly = false
    public var descending = false

    /// Only these documents.
    public var documentIDs: Set<ExactString>?

    /// Only documents in these channels; `nil` for all that the reader may see.
    public var channels: Set<String>?

    /// Whether the reader is told of documents that it can no longer see because access was lost.
    public var includesRevocations = false

    /// Whether each row brings the winner's content.
    public var includesContent = false

    public init() {}

    func isAskedFor(channel: String) -> Bool {
        channels.map { $0.contains(channel) || $0.contains("*") } ?? true
    }

    /// Whether the query is not for certain documents, or for this one.
    func isAskedFor(_ id: String) -> Bool {
        documentIDs?.contains(ExactString(id)) ?? true
    }
}
