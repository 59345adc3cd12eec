public import Logging

/// Couchbase Lite's names, for code that comes from there. ``changes()`` and ``documentReplications()`` say the same as sequences.
extension Replicator {
    /// - Throws: ``ReplicatorError`` with code `invalidParameter` or `invalidURL`.
    public init(config: ReplicatorConfiguration, logger: Logger = Logger(label: "replicator")) throws {
        try self.init(configuration: config, logger: logger)
    }

    /// Calls the listener whenever the status changes, one call after the other, until it is taken away or the replicator is gone. A listener
    /// that is too slow misses old changes, never the last.
    @discardableResult
    public func addChangeListener(_ listener: @escaping @Sendable (ReplicatorChange) async -> Void) -> ListenerToken {
        let statuses = statuses(beginningNow: false)
        return ListenerToken(
            Task { [weak self] in
                for await status in statuses {
                    guard let self, !Task.isCancelled else { return }
                    await listener(ReplicatorChange(replicator: self, status: status))
                }
            })
    }

    /// Calls the listener with what becomes of documents, one call after the other, until it is taken away or the replicator is gone.
    @discardableResult
    public func addDocumentReplicationListener(_ listener: @escaping @Sendable (DocumentReplication) async -> Void) -> ListenerToken {
        let replications = documentReplications()
        return ListenerToken(
            Task {
                for await replication in replications {
                    guard !Task.isCancelled else { return }
                    await listener(replication)
                }
            })
    }

    /// Takes a listener away.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }
}

/// What a replicator's change listener is told.
public struct ReplicatorChange: Sendable {
    public let replicator: Replicator
    public let status: ReplicatorStatus
}

/// By this a listener is taken away again. Who throws it away goes on listening.
public final class ListenerToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// The listener is called no more.
    public func remove() {
        task.cancel()
    }
}

/// Who listens to a replicator. Belongs to it.
struct Listeners: Sendable {
    var statuses: [AsyncStream<ReplicatorStatus>.Continuation] = []
    var documents: [AsyncStream<DocumentReplication>.Continuation] = []
    var events: [AsyncStream<ReplicatorEvent>.Continuation] = []

    /// Tells of a new status; who does not listen any more is forgotten.
    mutating func tell(_ status: ReplicatorStatus) {
        statuses = statuses.filter { Self.yield(status, to: $0) }
        events = events.filter { Self.yield(.status(status), to: $0) }
    }

    mutating func tell(_ replication: DocumentReplication) {
        documents = documents.filter { Self.yield(replication, to: $0) }
        events = events.filter { Self.yield(.documents(replication), to: $0) }
    }

    /// There is nothing more to tell.
    func finish() {
        for continuation in statuses { continuation.finish() }
        for continuation in documents { continuation.finish() }
        for continuation in events { continuation.finish() }
    }

    private static func yield<Element>(_ element: sending Element, to continuation: AsyncStream<Element>.Continuation) -> Bool {
        if case .terminated = continuation.yield(element) { return false }
        return true
    }
}
