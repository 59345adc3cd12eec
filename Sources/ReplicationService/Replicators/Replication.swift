import BridgeConfiguration
package import Storage

/// A replication with one other side, of either generation.
package protocol Replication: Sendable {
    /// Starts it. Does nothing if it runs.
    ///
    /// - Parameter reset: Whether the checkpoints are forgotten, so that everything is compared anew.
    func start(reset: Bool) async

    /// Stops it: what has arrived is stored, and the checkpoints are saved. Reports tell when it has come to an end.
    func stop() async

    /// The state now and then all that happens, in order. Whoever listens too slowly misses old reports, never the last.
    func reports() async -> AsyncStream<ReplicationReport>

    /// Tries parked revisions of it again, and nothing else; what comes of them is on the list when it returns. It need not run, and its
    /// checkpoints do not move.
    ///
    /// - Throws: ``ReplicationFailure`` if the other side cannot be reached, or takes nothing.
    func tryAgain(_ parked: [ParkedRevision]) async throws

    /// How far it has come.
    func position() async -> ReplicationPosition
}

extension Replication {
    /// Waits until it is stopped.
    package func waitUntilStopped() async {
        for await case .state(let state) in await reports() where state.activity == .stopped { return }
    }
}

/// Something that a replication tells.
package enum ReplicationReport: Sendable {
    case state(ReplicationState)
    case documents([ReplicationOutcome])
}

/// What became of one document.
package struct ReplicationOutcome: Hashable, Sendable {
    package let id: String

    /// The collection's name, `scope.name`.
    package let collection: String
    package let isPush: Bool
    package let isDeleted: Bool

    /// Whether it was removed here because the user has lost access to it.
    package let isAccessRemoved: Bool

    /// Why it was not replicated; `nil` if it was.
    package let failure: ReplicationFailure?

    package init(
        id: String, collection: String, isPush: Bool, isDeleted: Bool = false, isAccessRemoved: Bool = false,
        failure: ReplicationFailure? = nil
    ) {
        self.id = id
        self.collection = collection
        self.isPush = isPush
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.failure = failure
    }
}

/// How far a replication has come by its last checkpoint: sequences of this side and of the other; `nil` where there is none.
package struct ReplicationPosition: Hashable, Sendable {
    package var pushed: String?
    package var pulled: String?

    package init(pushed: String? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}

/// Why a replication, or one document of it, failed.
package struct ReplicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What was asked for is not taken: credentials, a database, a setting. Trying again does not help.
        case refused
        /// The other side cannot be reached, or failed.
        case unreachable
    }

    package let kind: Kind

    /// HTTP's status, where it was one.
    package let status: Int?

    /// What happened, where, and what to do. It has no secret in it.
    package let message: String

    package init(_ kind: Kind, status: Int? = nil, _ message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }

    package var description: String { message }
}
