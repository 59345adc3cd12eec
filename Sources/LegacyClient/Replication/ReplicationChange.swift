public import Documents

/// What a replication says of itself at one moment.
public struct ReplicationChange: Sendable, Hashable {
    public var status = ReplicationStatus.stopped

    /// The last error, until the replication is started again. Not every error is fatal: a continuous replication goes on trying.
    public var lastError: ReplicationError?

    /// The error that has stopped it, until it is started again; `nil` as long as it runs, and where it came to its end or was stopped. A continuous
    /// replication is stopped by what does not pass by itself: a 4xx of the server's but 408 and 429, or a wrong setting.
    public var failure: ReplicationError?

    /// Whether an error keeps it from replicating at the moment, and it tries again by itself. ``status`` may be `idle` then, as in Couchbase Lite
    /// 1.x: it waits, and has not caught up.
    public var isInterrupted = false

    /// How often the server was found restored from a backup, or another one in its place, since the replication was made.
    public var restorations = 0

    /// By what that was seen last; `nil` if it never was. It is no failure.
    public var lastRestoration: ReplicationError?

    /// The changes that have been dealt with since it was started, or was idle last.
    public var completedChangesCount = 0

    /// The changes that are known of; 0 while none are. It grows while changes are being found.
    public var changesCount = 0

    /// The changes of which this side (pull) or the server (push) was asked whether it has them, since the replication was made.
    public var checkedChangesCount = 0

    /// The bytes of requests and answers, before their compression, since the replication was made. Rows that come by WebSocket are not
    /// among them.
    public var byteCount = 0

    public init() {}
}

/// What a replication is doing: Couchbase Lite 1.x's four states.
public enum ReplicationStatus: Int, Sendable, CaseIterable {
    /// It was not started, has finished, was stopped, or met an error that does not pass.
    case stopped = 0
    /// The server cannot be reached. It is tried again by itself.
    case offline = 1
    /// It has caught up and waits for changes; continuous replications only.
    case idle = 2
    /// It is transferring, or finding out what there is to transfer.
    case active = 3
}

/// What became of one revision of a document.
public struct DocumentTransfer: Sendable, Hashable {
    public let id: String
    public let revision: RevisionID
    public let isDeleted: Bool

    /// Why it was not replicated; `nil` if it was. It is not tried again by itself, unless the error is transient.
    public let error: ReplicationError?

    public init(id: String, revision: RevisionID, isDeleted: Bool = false, error: ReplicationError? = nil) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.error = error
    }
}
