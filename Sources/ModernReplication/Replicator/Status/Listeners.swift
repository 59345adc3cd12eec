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
