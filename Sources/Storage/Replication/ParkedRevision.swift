/// A revision that one side of a replication has refused. The replication continues, and its checkpoint passes the revision.
package struct ParkedRevision: Sendable, Hashable {
    /// The limit of stored revisions. Further ones are only counted.
    package static let maximumCount = 10_000

    /// The limit of a document ID's length, in bytes. A refused revision with a longer ID is only counted.
    package static let maximumIDLength = 4_096

    /// 0 before it is stored.
    package var key: Int64 = 0

    /// The replication's name.
    package var replication: String
    package var direction: ParkedDirection

    /// `scope.name`; empty for the unified keyspace.
    package var collection: String

    /// The document's ID in the collection.
    package var id: String
    package var revision: String

    /// The error's domain and code in the replication's protocol, and its message.
    package var domain: String
    package var code: Int
    package var reason: String

    /// Milliseconds since 1970. For a revision that is parked already, the store keeps the first time and increments the attempts.
    package var firstSeen: Int64
    package var lastSeen: Int64
    package var attempts = 1

    package init(
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

/// The direction of a parked revision's replication.
package enum ParkedDirection: Int64, Sendable, CaseIterable {
    /// From here to the other side, which refused it.
    case push = 0
    /// From the other side to here.
    case pull = 1
}

/// Selects parked revisions: all, or those of one replication, direction, collection and document.
package struct ParkedSelection: Sendable, Hashable {
    package var replication: String?
    package var direction: ParkedDirection?
    package var collection: String?
    package var id: String?

    /// Whether revisions are included that an administrator removed from the list and the server has not accepted since.
    package var includesForgotten = false

    package init(replication: String? = nil, direction: ParkedDirection? = nil, collection: String? = nil, id: String? = nil) {
        self.replication = replication
        self.direction = direction
        self.collection = collection
        self.id = id
    }

    package static let all = ParkedSelection()

    /// Whether revisions are included that are only counted.
    package var includesSurplus: Bool { collection == nil && id == nil }
}

/// The order of parked revisions.
package enum ParkedOrder: Sendable {
    /// By the time of the first refusal.
    case firstRefused
    /// By the time of the last attempt, the earliest first.
    case longestUntried
}
