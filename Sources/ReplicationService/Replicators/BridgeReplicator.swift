import BridgeConfiguration
package import Storage

/// A replication with a server of either generation, or with a database.
package protocol BridgeReplicator: Sendable {
    /// Starts it. Does nothing if it is running.
    ///
    /// - Parameter reset: whether to discard the checkpoints, so that everything is compared again.
    func start(reset: Bool) async

    /// Stops it: stores what was received and saves the checkpoints. The reports have the end.
    func stop() async

    /// The current state and then all events, in order. A slow consumer loses old reports, never the latest.
    func reports() async -> AsyncStream<ReplicationReport>

    /// Retries parked revisions of this replication, and nothing else. The list of parked revisions has the results on return. The
    /// replication need not be running, and its checkpoints do not change.
    ///
    /// - Throws: ``ReplicationFailure`` if the other side cannot be reached or refuses the whole request.
    func tryAgain(_ parked: [ParkedRevision]) async throws

    /// The position of the last checkpoints.
    func position() async -> ReplicationPosition
}

extension BridgeReplicator {
    /// Waits until it is stopped.
    package func waitUntilStopped() async {
        for await case .state(let state) in await reports() where state.activity == .stopped { return }
    }
}

/// An event of a replication.
package enum ReplicationReport: Sendable {
    case state(ReplicationState)
    case documents([ReplicationOutcome])
}

/// The outcome of replicating one document.
package struct ReplicationOutcome: Hashable, Sendable {
    package let id: String

    /// The collection's name, `scope.name`.
    package let collection: String
    package let isPush: Bool
    package let isDeleted: Bool

    /// Whether it was removed here because the user has lost access to it.
    package let isAccessRemoved: Bool

    /// The error; `nil` if the document was replicated.
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

/// The position of a replication at its last checkpoints: a sequence of this side and one of the other; `nil` where there is none.
package struct ReplicationPosition: Hashable, Sendable {
    package var pushed: String?
    package var pulled: String?

    package init(pushed: String? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}

/// The error of a replication or of one document.
package struct ReplicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request is refused: credentials, database or settings. A retry does not help.
        case refused
        /// The other side cannot be reached, or failed.
        case unreachable
    }

    package let kind: Kind

    /// The HTTP status, if there was one.
    package let status: Int?

    /// The failure, its place, and advice. It contains no secret.
    package let message: String

    package init(_ kind: Kind, status: Int? = nil, _ message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }

    package var description: String { message }
}
