import BridgeConfiguration
public import Storage

/// A replication with one other side, of either generation.
public protocol Replication: Sendable {
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
    public func waitUntilStopped() async {
        for await case .state(let state) in await reports() where state.activity == .stopped { return }
    }
}

/// Something that a replication tells.
public enum ReplicationReport: Sendable {
    case state(ReplicationState)
    case documents([ReplicationOutcome])
}

/// What became of one document.
public struct ReplicationOutcome: Hashable, Sendable {
    public let id: String

    /// The collection's name, `scope.name`.
    public let collection: String
    public let isPush: Bool
    public let isDeleted: Bool

    /// Whether it was removed here because the user has lost access to it.
    public let isAccessRemoved: Bool

    /// Why it was not replicated; `nil` if it was.
    public let failure: ReplicationFailure?

    public init(
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
public struct ReplicationPosition: Hashable, Sendable {
    public var pushed: String?
    public var pulled: String?

    public init(pushed: String? = nil, pulled: String? = nil) {
        self.pushed = pushed
        self.pulled = pulled
    }
}

/// Why a replication, or one document of it, failed.
public struct ReplicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What was asked for is not taken: credentials, a database, a setting. Trying again does not help.
        case refused
        /// The other side cannot be reached, or failed.
        case unreachable
    }

    public let kind: Kind

    /// HTTP's status, where it was one.
    public let status: Int?

    /// What happened, where, and what to do. It has no secret in it.
    public let message: String

    public init(_ kind: Kind, status: Int? = nil, _ message: String) {
        self.kind = kind
        self.status = status
        self.message = message
    }

    public var description: String { message }
}
