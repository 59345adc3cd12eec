/// Bounds on what one database takes in and keeps.
public struct DatabaseLimits: Hashable, Sendable {
    /// The largest body of one revision, in bytes. Sync Gateway's limit is 20 MiB.
    public var documentSize = 20 << 20

    /// The largest attachment, in bytes.
    public var attachmentSize: Int64 = 1 << 30

    /// How deep a revision tree may grow from each leaf before it is pruned. Sync Gateway keeps 100 with conflicts.
    public var revisionDepth = 100

    /// How deep it may grow where clients may hold old revisions.
    public var protectedDepth = 1_000

    /// For how many days after it was seen last a client is expected to come back.
    public var protectionDays = 400

    /// How many opaque sequences of the legacy upstream are remembered, the latest.
    public var upstreamSequences = 1_000_000

    /// How many bodies of superseded revisions are kept for clients that are just fetching them.
    public var recentBodies = 3

    public init() {}
}
