import Coordination

/// The mutable state of a ``Replication`` and its listeners.
struct LegacyReplicationState: Sendable {
    var settings = ReplicationSettings()
    var lifecycle = ReplicationLifecycle()
    var run: Task<Void, Never>?
    var stopSignal: StopSignal?
    var wait: Task<Void, Never>?
    private(set) var failedDocuments: [DocumentTransfer] = []

    /// The position in the local feed up to which the push is done in the current run.
    private(set) var reached: String?
    private var completed = 0
    private var total = 0
    private var checked = 0
    private var bytes = 0
    private var restorations = 0
    private var lastRestoration: ReplicationError?
    private var listeners = Broadcaster<ReplicationChange>(capacity: 256)
    private var documentListeners = Broadcaster<[DocumentTransfer]>(capacity: 4_096)
    private var noticeListeners = Broadcaster<ReplicationUpdate>(capacity: 4_096)

    var change: ReplicationChange {
        var change = ReplicationChange()
        change.status = lifecycle.status
        change.lastError = lifecycle.lastError
        change.failure = lifecycle.failure
        change.isInterrupted = lifecycle.isInterrupted
        change.completedChangesCount = completed
        change.changesCount = total
        change.checkedChangesCount = checked
        change.byteCount = bytes
        change.restorations = restorations
        change.lastRestoration = lastRestoration
        return change
    }

    /// Resets the counts for a new run.
    mutating func begin() {
        completed = 0
        total = 0
        failedDocuments = []
        reached = nil
    }

    mutating func apply(_ event: ReplicationEvent, retaining limit: Int) {
        switch event {
        case .connected: lifecycle.connected()
        case .transfers(let isActive):
            // Both counts are reset when a transfer begins after an idle period.
            if isActive, lifecycle.status == .idle {
                completed = 0
                total = 0
            }
            lifecycle.transfers(isActive)
        case .progress(let completed, let total, let checked, let bytes):
            if completed > 0 { lifecycle.progressed() }
            self.completed += completed
            self.total += total
            self.checked += checked
            self.bytes += bytes
        case .documents(let documents):
            failedDocuments += documents.filter { $0.error != nil }
            failedDocuments.removeFirst(max(0, failedDocuments.count - limit))
            documentListeners.send(documents)
            noticeListeners.send(.documents(documents))
        case .reached(let position): reached = position
        case .failed(let error): lifecycle.met(error)
        case .interrupted(let error): lifecycle.interrupted(error)
        case .resumed: lifecycle.resumed()
        case .restored(let error):
            restorations += 1
            lastRestoration = error
        }
    }

    mutating func listen() -> AsyncStream<ReplicationChange> {
        listeners.subscribe(beginningWith: change)
    }

    mutating func listenToDocuments() -> AsyncStream<[DocumentTransfer]> {
        documentListeners.subscribe()
    }

    mutating func listenToNotices() -> AsyncStream<ReplicationUpdate> {
        noticeListeners.subscribe()
    }

    /// Sends the current change to the listeners if it differs from an earlier one.
    mutating func notifyListeners(after before: ReplicationChange) {
        let change = change
        guard change != before else { return }
        listeners.send(change)
        noticeListeners.send(.change(change))
    }

    /// Finishes the listeners' streams.
    func end() {
        listeners.finish()
        documentListeners.finish()
        noticeListeners.finish()
    }
}

/// An event of a run.
enum ReplicationEvent: Sendable {
    /// The server has answered.
    case connected
    /// Whether there are changes to transfer. `false` does not end the run.
    case transfers(Bool)
    /// The numbers of completed changes, of newly found changes and of changes that were checked on one side, and the bytes of bodies.
    case progress(completed: Int = 0, total: Int = 0, checked: Int = 0, bytes: Int = 0)
    case documents([DocumentTransfer])
    /// A push is done up to this position in the local feed.
    case reached(String)
    /// An error that does not end the run.
    case failed(ReplicationError)
    /// The server's feed cannot be read at the moment; reading is retried.
    case interrupted(ReplicationError)
    /// The feed is read again.
    case resumed
    /// The server's database was restored or replaced. Revisions that it may have lost are offered to it again.
    case restored(ReplicationError)
}

/// An element of ``Replication/notices()``.
public enum ReplicationUpdate: Sendable {
    /// The status or a count has changed.
    case change(ReplicationChange)
    /// Documents were replicated, or failed to.
    case documents([DocumentTransfer])
}
