public import Storage

/// The devices of one user that run the same software, as their checkpoints show them, and the requests of 1.x.
///
/// Neither names its device. Several checkpoints and requests are one client's if they agree in user, generation and `User-Agent`; the guest's devices are one client.
public struct FleetClient: Sendable {
    /// Empty for the guest and for administrators.
    public let user: String

    /// 1, 2 or 3; 0 for replicators of ours.
    public let generation: Int
    public let software: ClientSoftware

    /// The `User-Agent` as it was sent, up to 256 characters.
    public let agent: String

    /// How many devices these are, as far as can be told: the most checkpoints that are kept of one feed for one direction. Databases that were set up anew
    /// count again.
    public let devices: Int
    public let checkpoints: Int

    /// In milliseconds since 1970.
    public let firstSeen: Int64
    public let lastSeen: Int64

    /// From how many addresses its requests of 1.x came; 0 if none were seen.
    public let addresses: Int

    /// The address of the last one.
    public let lastAddress: String?

    /// How many feeds of 1.x it has open now.
    public let openFeeds: Int
    public let feeds: [FleetFeed]

    /// How many documents have changed since the place of the feed that is furthest behind; `nil` if it reads none.
    public var changesBehind: Int? { feeds.compactMap(\.changesBehind).max() }
}

/// What a client replicates, in one direction.
public struct FleetFeed: Sendable {
    /// `nil` for the unified keyspace.
    public let collection: CollectionName?

    /// Whether it reads our feed, as far as can be told: pushes do not, and those who stand at a place of an old server's feed do not yet.
    public let reads: Bool

    /// How many checkpoints it keeps there, which is one for each device.
    public let checkpoints: Int

    /// How far it has read; the device that is furthest behind counts.
    public let position: SequenceNumber?

    /// How many documents have changed since, up to ``Database/countedChanges``.
    public let changesBehind: Int?
}
