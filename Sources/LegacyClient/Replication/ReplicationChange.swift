public import Documents

/// The status, errors and counts of a replication at one moment.
public struct ReplicationChange: Sendable, Hashable {
    /// The status.
    public var status = ReplicationStatus.stopped

    /// The last error since the replication was started. Not every error is fatal: a continuous replication continues to try.
    public var lastError: ReplicationError?

    /// The error that has stopped the replication; `nil` while it runs, and after it has finished or was stopped. A continuous replication is
    /// stopped by permanent errors: a 4xx status of the server except 408 and 429, or an invalid setting.
    public var failure: ReplicationError?

    /// Whether an error prevents replication at the moment and the replication will retry. ``status`` may then be `idle`, as in Couchbase Lite
    /// 1.x, although the replication has not caught up.
    public var isInterrupted = false

    /// The number of times that the server was found restored from a backup or replaced, since the replication was created.
    public var restorations = 0

    /// The error that describes the last restoration; `nil` if there was none. It is not a failure.
    public var lastRestoration: ReplicationError?

    /// The number of changes that are done since the replication was started, or was last idle.
    public var completedChangesCount = 0

    /// The number of known changes; 0 if there are none. It grows while changes are being found.
    public var changesCount = 0

    /// The number of changes that were checked on this side (pull) or on the server (push) since the replication was created.
    public var checkedChangesCount = 0

    /// The bytes of request and response bodies, uncompressed, since the replication was created. Rows received over a WebSocket are not counted.
    public var byteCount = 0

    /// Creates the state of a replication that was not started.
    public init() {}
}

/// The four states of a Couchbase Lite 1.x replication.
public enum ReplicationStatus: Int, Sendable, CaseIterable {
    /// Not started, finished, stopped, or failed with a permanent error.
    case stopped = 0
    /// The server cannot be reached; the replication will retry.
    case offline = 1
    /// Caught up and waiting for changes; continuous replications only.
    case idle = 2
    /// Transferring documents, or determining which ones to transfer.
    case active = 3
}

/// The result for one revision of a document.
public struct DocumentTransfer: Sendable, Hashable {
    /// The document's ID.
    public let id: String

    /// The revision's ID.
    public let revision: RevisionID

    /// Whether the revision deletes the document.
    public let isDeleted: Bool

    /// Why the revision was not replicated; `nil` if it was. Only transient errors are retried automatically.
    public let error: ReplicationError?

    /// Creates a result.
    public init(id: String, revision: RevisionID, isDeleted: Bool = false, error: ReplicationError? = nil) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.error = error
    }
}
