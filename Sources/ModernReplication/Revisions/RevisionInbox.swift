import Gateway

/// Revisions of one collection that have arrived and wait to be written: those that come together are written together.
struct RevisionInbox {
    private var waiting: [IncomingRevision] = []
    private var head = 0

    var isEmpty: Bool { head == waiting.count }

    mutating func append(_ revision: IncomingRevision) {
        waiting.append(revision)
    }

    /// Takes as many as one transaction should write, in the order in which they arrived; none if none wait.
    mutating func takeBatch(_ limits: SessionLimits) -> [IncomingRevision] {
        var end = head
        var bytes = 0
        while end < waiting.count, end - head < limits.revisionsInTransaction, bytes < limits.bytesInTransaction {
            bytes += waiting[end].size
            end += 1
        }
        let batch = Array(waiting[head..<end])
        head = end
        if isEmpty {
            waiting.removeAll(keepingCapacity: waiting.capacity <= limits.revisionsInTransaction)
            head = 0
        } else if head * 2 >= waiting.count {
            waiting.removeSubrange(..<head)
            head = 0
        }
        return batch
    }
}
