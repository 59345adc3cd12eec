public import Gateway

/// A replicator's state at one moment.
public struct ReplicatorStatus: Hashable, Sendable {
    /// The activity.
    public var activity: ReplicatorActivityLevel

    /// The counts since the start.
    public var progress: ReplicatorProgress

    /// The last error; `nil` after the next successful connection.
    public var error: ReplicatorError?

    /// Creates a status.
    public init(
        activity: ReplicatorActivityLevel = .stopped, progress: ReplicatorProgress = ReplicatorProgress(), error: ReplicatorError? = nil
    ) {
        self.activity = activity
        self.progress = progress
        self.error = error
    }
}

/// The activity of a replicator.
public enum ReplicatorActivityLevel: String, Sendable, CaseIterable {
    /// The replicator has finished, was stopped, or failed with a permanent error.
    case stopped
    /// The server is unreachable, or the replicator is suspended. It continues by itself or when resumed.
    case offline
    /// The replicator is opening a connection.
    case connecting
    /// The replicator has caught up and waits for changes; continuous replications only.
    case idle
    /// The replicator is transferring data.
    case busy
}

/// The progress of a replication since its start. The total grows while changes are being discovered.
public struct ReplicatorProgress: Hashable, Sendable {
    /// The number of processed changes, in both directions.
    public var completed: UInt64

    /// The number of discovered changes.
    public var total: UInt64

    /// The bytes of all messages in both directions, compressed and without TLS. Updated with the changes, and during large transfers.
    public var bytes: UInt64

    /// Creates counts.
    public init(completed: UInt64 = 0, total: UInt64 = 0, bytes: UInt64 = 0) {
        self.completed = completed
        self.total = total
        self.bytes = bytes
    }
}

/// An event of a replicator.
public enum ReplicatorEvent: Sendable {
    /// The status has changed.
    case status(ReplicatorStatus)
    /// Documents were replicated, or failed to.
    case documents(DocumentReplication)
}

/// Documents that were replicated together, in one direction.
public struct DocumentReplication: Sendable {
    /// Whether they were pushed; otherwise they were pulled.
    public let isPush: Bool

    /// The outcome of each document.
    public let documents: [ReplicatedDocument]

    /// Creates an outcome.
    public init(isPush: Bool, documents: [ReplicatedDocument]) {
        self.isPush = isPush
        self.documents = documents
    }
}

/// The outcome of one document.
public struct ReplicatedDocument: Sendable, Hashable {
    /// Properties of the document's revision.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits of the set.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The revision is a tombstone.
        public static let deleted = Flags(rawValue: 1)
        /// The user has lost access to it.
        public static let accessRemoved = Flags(rawValue: 2)
    }

    /// The document's collection on the server.
    public let collection: CollectionName

    /// The document's ID.
    public let id: String

    /// The properties of the replicated revision.
    public let flags: Flags

    /// The reason why the document was not replicated; `nil` if it was.
    public let error: ReplicatorError?

    /// Creates an outcome.
    public init(collection: CollectionName, id: String, flags: Flags = [], error: ReplicatorError? = nil) {
        self.collection = collection
        self.id = id
        self.flags = flags
        self.error = error
    }
}
