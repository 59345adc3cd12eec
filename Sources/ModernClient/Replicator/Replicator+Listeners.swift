import Coordination
public import Logging

/// Couchbase Lite's listener API, for code that was written for it. ``changes()`` and ``documentReplications()`` offer the same as
/// sequences.
extension Replicator {
    /// Creates a stopped replicator.
    ///
    /// - Throws: ``ReplicatorError`` with code `invalidParameter` or `invalidURL`.
    public init(config: ReplicatorConfiguration, logger: Logger = Logger(label: "replicator")) throws {
        try self.init(configuration: config, logger: logger)
    }

    /// Calls the listener on each change of the status, one call at a time, until the listener is removed or the replicator is released. A
    /// slow listener may miss earlier changes, but never the last.
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

    /// Calls the listener with the outcome of documents, one call at a time, until the listener is removed or the replicator is released.
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

    /// Removes a listener.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }
}

/// The argument of a replicator's change listeners.
public struct ReplicatorChange: Sendable {
    /// The replicator.
    public let replicator: Replicator

    /// Its new status.
    public let status: ReplicatorStatus
}

/// Identifies a listener for its removal. Releasing the token does not remove the listener.
public final class ListenerToken: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Removes the listener.
    public func remove() {
        task.cancel()
    }
}

/// The subscribers of a replicator. Isolated to the replicator.
struct Listeners: Sendable {
    var statuses = Broadcaster<ReplicatorStatus>(capacity: 256)
    var documents = Broadcaster<DocumentReplication>(capacity: 4_096)
    var events = Broadcaster<ReplicatorEvent>(capacity: 4_096)

    mutating func notify(_ status: ReplicatorStatus) {
        statuses.send(status)
        events.send(.status(status))
    }

    mutating func notify(_ replication: DocumentReplication) {
        documents.send(replication)
        events.send(.documents(replication))
    }

    /// Ends all subscriptions.
    func finish() {
        statuses.finish()
        documents.finish()
        events.finish()
    }
}
