/// Checkpoints that one user's clients of one kind keep of one feed, for the same direction.
public struct SightingGroup: Hashable, Sendable {
    /// A user's name, empty for the guest and for administrators.
    public let user: String

    /// The generation of the protocol: 1, 2 or 3; 0 for replicators of ours.
    public let generation: Int

    /// The `User-Agent`.
    public let agent: String
    public let kind: LocalDocumentKind
    public let scope: FeedScope

    /// How far the one that is furthest behind has read of our feed; `nil` for pushes, and while they stand at places of an old server's feed.
    public let position: Sequence?

    /// How many checkpoints these are.
    public let count: Int

    /// In milliseconds since 1970.
    public let firstSeen: Int64
    public let lastSeen: Int64

    public init(
        user: String, generation: Int, agent: String, kind: LocalDocumentKind, scope: FeedScope, position: Sequence?, count: Int,
        firstSeen: Int64, lastSeen: Int64
    ) {
        self.user = user
        self.generation = generation
        self.agent = agent
        self.kind = kind
        self.scope = scope
        self.position = position
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}
