/// The last write of a checkpoint by a client or by one of our replicators.
package struct CheckpointRecord: Hashable, Sendable {
    package let kind: LocalDocumentKind
    package let scope: FeedScope

    /// The checkpoint's name, chosen by the client.
    package let id: String

    /// The user's name; empty for the guest and for administrators.
    package let user: String

    /// The generation of the client's protocol: 1, 2 or 3; 0 for our replicators.
    package let generation: Int

    /// The client's `User-Agent`.
    package let agent: String

    /// The last read sequence of our feed; `nil` for a push, and for a position in the feed of a legacy server.
    package let position: SequenceNumber?

    /// In milliseconds since 1970.
    package var firstSeen: Int64
    package let lastSeen: Int64

    package init(
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

/// The checkpoints of one user's clients of one kind for the same feed and direction.
package struct CheckpointGroup: Hashable, Sendable {
    /// The user's name; empty for the guest and for administrators.
    package let user: String

    /// The generation of the protocol: 1, 2 or 3; 0 for our replicators.
    package let generation: Int

    /// The `User-Agent`.
    package let agent: String
    package let kind: LocalDocumentKind
    package let scope: FeedScope

    /// The lowest last read sequence of our feed in the group; `nil` for pushes, and for positions in the feed of a legacy server.
    package let position: SequenceNumber?

    /// The number of checkpoints.
    package let count: Int

    /// In milliseconds since 1970.
    package let firstSeen: Int64
    package let lastSeen: Int64

    package init(
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

/// The number of checkpoints of one generation that were written on one day.
package struct CheckpointDay: Hashable, Sendable {
    /// Days since 1970, UTC.
    package let day: Int64
    package let generation: Int

    /// The number of checkpoints. Each counts once a day.
    package let clients: Int

    package init(day: Int64, generation: Int, clients: Int) {
        self.day = day
        self.generation = generation
        self.clients = clients
    }

    /// A day in milliseconds.
    package static let length: Int64 = 86_400_000
}
