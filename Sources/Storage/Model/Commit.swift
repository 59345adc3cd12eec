/// What a commit changed, for those who follow feeds.
public struct Commit: Sendable {
    /// The database's counter after the commit.
    public let sequence: Sequence

    /// Whether documents of the unified keyspace changed.
    public let touchesUnified: Bool

    /// The collections whose documents changed.
    public let collections: Set<CollectionKey>

    public init(sequence: Sequence, touchesUnified: Bool, collections: Set<CollectionKey>) {
        self.sequence = sequence
        self.touchesUnified = touchesUnified
        self.collections = collections
    }

    public func touches(_ scope: FeedScope) -> Bool {
        switch scope {
        case .unified: touchesUnified
        case .collection(let key): collections.contains(key)
        }
    }
}
