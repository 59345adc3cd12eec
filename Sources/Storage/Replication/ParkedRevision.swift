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

/// Which way a parked revision was to go.
public enum ParkedDirection: Int64, Sendable, CaseIterable {
    /// From here to the other side, which has refused it.
    case push = 0
    /// From the other side to here.
    case pull = 1
}

/// Which parked revisions are meant: all, or those of one replication, direction, collection, document.
public struct ParkedSelection: Sendable, Hashable {
    public var replication: String?
    public var direction: ParkedDirection?
    public var collection: String?
    public var id: String?

    /// Whether those count, too, that were taken off the list by hand, and have not been taken by the server since.
    public var includesForgotten = false

    public init(replication: String? = nil, direction: ParkedDirection? = nil, collection: String? = nil, id: String? = nil) {
        self.replication = replication
        self.direction = direction
        self.collection = collection
        self.id = id
    }

    public static let all = ParkedSelection()

    /// Whether those are meant, too, of which only the number is kept.
    package var includesSurplus: Bool { collection == nil && id == nil }
}

/// In which order parked revisions are read.
public enum ParkedOrder: Sendable {
    /// As they were first refused.
    case firstRefused
    /// Those first that were not tried for the longest time.
    case longestUntried
}
