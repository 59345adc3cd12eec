package import Storage

/// A user's devices with the same software, as seen in checkpoints and in 1.x requests.
///
/// Checkpoints and requests contain no device ID. Those with the same user, generation and `User-Agent` count as one client; all guest devices with
/// the same software are one client.
package struct FleetClient: Sendable {
    /// Empty for the guest and for administrators.
    package let user: String

    /// 1, 2 or 3; 0 for the bridge's own replicators.
    package let generation: Int
    package let software: ClientSoftware

    /// The `User-Agent` as received, up to 256 characters.
    package let agent: String

    /// The estimated number of devices: the maximum number of checkpoints of one feed in one direction. A reinstalled client database counts again.
    package let devices: Int
    package let checkpoints: Int

    /// In milliseconds since 1970.
    package let firstSeen: Int64
    package let lastSeen: Int64

    /// The number of addresses of the client's 1.x requests; 0 if none were recorded.
    package let addresses: Int

    /// The address of the last request.
    package let lastAddress: String?

    /// The current number of open 1.x feeds.
    package let openFeeds: Int
    package let feeds: [FleetFeed]

    /// The number of changes after the position that is furthest behind; `nil` if the client reads no feed.
    package var changesBehind: Int? { feeds.compactMap(\.changesBehind).max() }
}

/// A collection that a client replicates, in one direction.
package struct FleetFeed: Sendable {
    /// `nil` for the unified keyspace.
    package let collection: CollectionName?

    /// Whether the client appears to read this database's feed. False for pushes, and for clients that are still at a position of an old server's
    /// feed.
    package let reads: Bool

    /// The number of checkpoints, one for each device.
    package let checkpoints: Int

    /// The position that the client has reached; of several devices the one furthest behind.
    package let position: SequenceNumber?

    /// The number of documents that have changed since, up to ``Database/countedChanges``.
    package let changesBehind: Int?
}
