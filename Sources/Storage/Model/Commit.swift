/// What a commit changed, for those who follow feeds.
public struct Commit: Sendable {
    /// The database's counter after the commit.
    public let sequence: Sequence

    /// Whether documents of the unified keyspace changed.
    public let touchesUnified: Bool

    /// The collections whose documents changed.
    public let collections: Set<CollectionKey>

    /// Whose access changed. A feed may have more to send to them, or less.
    public let access: AccessChange

    public var touchesAccess: Bool { !access.isEmpty }

    /// The channels whose feeds changed. Who sees a collection by its channels alone has nothing new if none of theirs is among them.
    /// `nil` if they are not known, or too many to be named.
    public let channels: Set<ChannelPlace>?

    public init(
        sequence: Sequence, touchesUnified: Bool, collections: Set<CollectionKey>, access: AccessChange = .none,
        channels: Set<ChannelPlace>? = nil
    ) {
        self.sequence = sequence
        self.touchesUnified = touchesUnified
        self.collections = collections
        self.access = access
        self.channels = channels
    }

    public func touches(_ scope: FeedScope) -> Bool {
        switch scope {
        case .unified: touchesUnified
        case .collection(let key): collections.contains(key)
        }
    }
}
