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
