/// A revision that one side of a replication has refused. It holds up nothing else: the replication's checkpoint has passed it.
public struct ParkedRevision: Sendable, Hashable {
    /// How many a store keeps at most; of more only the number is kept.
    public static let maximumCount = 10_000

    /// Bytes of a document's ID. A refused revision with a longer one is counted, not kept.
    public static let maximumIDLength = 4_096

    /// 0 until the store has added it.
    public var key: Int64 = 0

    /// The replication's name.
    public var replication: String
    public var direction: ParkedDirection

    /// `scope.name`; empty for the unified keyspace.
    public var collection: String

    /// The document's ID there.
    public var id: String
    public var revision: String

    /// What kind of error, by the domains and codes of the replication's protocol, and in words.
    public var domain: String
    public var code: Int
    public var reason: String

    /// Milliseconds since 1970. The store keeps the first time, and counts the attempts.
    public var firstSeen: Int64
    public var lastSeen: Int64
    public var attempts = 1

    public init(
        replication: String, direction: ParkedDirection, collection: String, id: String, revision: String, domain: String, code: Int,
        reason: String, time: Int64
    ) {
        self.replication = replication
        self.direction = direction
        self.collection = collection
        self.id = id
        self.revision = revision
        self.domain = domain
        self.code = code
        self.reason = reason
        firstSeen = time
        lastSeen = time
    }
}
