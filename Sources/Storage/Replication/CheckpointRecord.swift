/// A checkpoint of a client's, or of a replicator's of ours, when it was last written: who, with what, when, how far.
public struct CheckpointRecord: Hashable, Sendable {
    public let kind: LocalDocumentKind
    public let scope: FeedScope

    /// The checkpoint's name, which the client has chosen.
    public let id: String

    /// Who wrote it: a user's name, empty for the guest and for administrators.
    public let user: String

    /// The generation of the client's protocol: 1, 2 or 3; 0 for replicators of ours.
    public let generation: Int

    /// What the client says that it is: its `User-Agent`.
    public let agent: String

    /// How far it has read of our feed; `nil` for a push, and while it stands at a place of an old server's feed.
    public let position: SequenceNumber?

    /// In milliseconds since 1970.
    public var firstSeen: Int64
    public let lastSeen: Int64

    public init(
        kind: LocalDocumentKind, scope: FeedScope, id: String, user: String, generation: Int, agent: String, position: SequenceNumber?,
        firstSeen: Int64, lastSeen: Int64
    ) {
        self.kind = kind
        self.scope = scope
        self.id = id
        self.user = user
        self.generation = generation
        self.agent = agent
        self.position = position
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// Checkpoints that one user's clients of one kind keep of one feed, for the same direction.
public struct CheckpointGroup: Hashable, Sendable {
    /// A user's name, empty for the guest and for administrators.
    public let user: String

    /// The generation of the protocol: 1, 2 or 3; 0 for replicators of ours.
    public let generation: Int

    /// The `User-Agent`.
    public let agent: String
    public let kind: LocalDocumentKind
    public let scope: FeedScope

    /// How far the one that is furthest behind has read of our feed; `nil` for pushes, and while they stand at places of an old server's feed.
    public let position: SequenceNumber?

    /// How many checkpoints these are.
    public let count: Int

    /// In milliseconds since 1970.
    public let firstSeen: Int64
    public let lastSeen: Int64

    public init(
        user: String, generation: Int, agent: String, kind: LocalDocumentKind, scope: FeedScope, position: SequenceNumber?, count: Int,
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

/// How many checkpoints of one generation were written on one day.
public struct CheckpointDay: Hashable, Sendable {
    /// Days since 1970, UTC.
    public let day: Int64
    public let generation: Int

    /// Each checkpoint counts once a day.
    public let clients: Int

    public init(day: Int64, generation: Int, clients: Int) {
        self.day = day
        self.generation = generation
        self.clients = clients
    }

    /// Milliseconds of a day.
    public static let length: Int64 = 86_400_000
}
