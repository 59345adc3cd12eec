public import Gateway

/// A replicator's state at one moment.
public struct ReplicatorStatus: Hashable, Sendable {
    public var activity: ReplicatorActivityLevel
    public var progress: ReplicatorProgress

    /// The last error, until a connection comes about again.
    public var error: ReplicatorError?

    public init(
        activity: ReplicatorActivityLevel = .stopped, progress: ReplicatorProgress = ReplicatorProgress(), error: ReplicatorError? = nil
    ) {
        self.activity = activity
        self.progress = progress
        self.error = error
    }
}

/// What a replicator is doing.
public enum ReplicatorActivityLevel: String, Sendable, CaseIterable {
    /// It has finished, was stopped, or met an error that does not pass.
    case stopped
    /// The other side cannot be reached, or the replicator is suspended; it will go on by itself or when resumed.
    case offline
    /// It is opening a connection.
    case connecting
    /// It has caught up and waits for changes; continuous replications only.
    case idle
    /// It is transferring.
    case busy
}

/// How far a replication has come since it was started. The total grows while changes are being found.
public struct ReplicatorProgress: Hashable, Sendable {
    /// The changes that have been dealt with, in both directions.
    public var completed: UInt64

    /// The changes that are known of.
    public var total: UInt64

    /// The bytes of all messages in both directions, as they travel: after their compression, before TLS. They are told with the changes, and
    /// while much is transferred.
    public var bytes: UInt64

    public init(completed: UInt64 = 0, total: UInt64 = 0, bytes: UInt64 = 0) {
        self.completed = completed
        self.total = total
        self.bytes = bytes
    }
}

/// Something that a replicator tells.
public enum ReplicatorEvent: Sendable {
    case status(ReplicatorStatus)
    case documents(DocumentReplication)
}

/// Documents that were replicated together, in one direction.
public struct DocumentReplication: Sendable {
    /// Whether they were pushed; otherwise they were pulled.
    public let isPush: Bool
    public let documents: [ReplicatedDocument]

    public init(isPush: Bool, documents: [ReplicatedDocument]) {
        self.isPush = isPush
        self.documents = documents
    }
}

/// What became of one document.
public struct ReplicatedDocument: Sendable, Hashable {
    /// What is special about it.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// It was deleted.
        public static let deleted = Flags(rawValue: 1)
        /// The user has lost access to it.
        public static let accessRemoved = Flags(rawValue: 2)
    }

    public let collection: CollectionName
    public let id: String
    public let flags: Flags

    /// Why it was not replicated; `nil` if it was.
    public let error: ReplicatorError?

    public init(collection: CollectionName, id: String, flags: Flags = [], error: ReplicatorError? = nil) {
        self.collection = collection
        self.id = id
        self.flags = flags
        self.error = error
    }
}
