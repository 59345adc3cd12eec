import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol

extension ModernSession {
    /// Queues a complete revision for writing.
    /// - Returns: Whether the caller has to run ``write(_:)``, because no task is writing to the collection.
    func enqueue(_ revision: IncomingRevision, in collection: SessionCollection) -> Bool {
        collection.inbox.append(revision)
        collection.writes.receive(revision.write.id)
        load.revisions += 1
        load.bytes += revision.size
        guard !collection.isWriting else { return false }
        collection.isWriting = true
        return true
    }

    /// Writes the queued revisions of a collection, one transaction after another, including those that arrive meanwhile. Each revision
    /// gets its reply once it is durable.
    func write(_ handle: CollectionHandle) async {
        guard let collection = collections[handle] else { return }
        while true {
            let batch = collection.inbox.takeBatch(limits)
            guard !batch.isEmpty else { break }
            await within(batch[0].number) { await write(batch, to: collection.keyspace, handle) }
            load.revisions -= batch.count
            load.bytes -= batch.reduce(0) { $0 + $1.size }
            capacityFreed.notifyAll()
        }
        collection.isWriting = false
    }

    private func write(_ batch: [IncomingRevision], to keyspace: Keyspace, _ handle: CollectionHandle) async {
        do {
            let results = try await store(batch, in: keyspace, handle)
            let refused = zip(batch, results).compactMap { revision, result in result.isConflict ? revision.write : nil }
            try await recordLegacyRevisions(of: refused, in: keyspace)
            let taken = zip(batch, results).compactMap { revision, result in result.isSuccess ? revision.write : nil }
            try await resendMoved((refused + taken.filter(needsVersionFromPull)).map(\.id), in: handle)
            for (revision, result) in zip(batch, results) {
                switch result {
                case .success where needsVersionFromPull(revision.write): refuse(revision.number, BLIPRequestError.pullBringsVersion)
                case .success: reply(.reply(to: revision.number))
                case .failure(let error): refuse(revision.number, error)
                }
            }
        } catch {
            for revision in batch {
                refuse(revision.number, error)
            }
        }
    }

    /// Writes revisions in one transaction. The feed may send revisions of these documents afterwards.
    private func store(
        _ batch: [IncomingRevision], in keyspace: Keyspace, _ handle: CollectionHandle
    ) async throws -> [Result<WriteOutcome, GatewayError>] {
        let collection = collections[handle]
        defer { collection?.writes.end(batch.map(\.write.id)) }
        try await keyspace.recognize(batch.map(\.write), past: collection?.past ?? .none)
        // The edits of a client with versions may be older than its reply to a sent version, and include the version otherwise. A client with trees
        // may purge a tombstone, and create the document anew.
        let time: Duration = subprotocol.hasVersions ? .seconds(Int64.max) : limits.timeToReceive
        let writes = batch.map { revision in
            var write = revision.write
            write.received = collection?.sent.receipt(of: write.id, within: time) ?? .unknown
            return write
        }
        let results = try await keyspace.write(writes)
        for (write, result) in zip(writes, results) {
            if case .success(let outcome) = result { collection?.written.record(outcome.revision.text, of: write.id) }
        }
        return results
    }

    /// Waits until the client's pushes of these documents are written.
    func waitForWrites(to ids: [String], in handle: CollectionHandle) async {
        guard let writes = collections[handle]?.writes else { return }
        guard ids.contains(where: { writes.isRequested($0) }) else { return await writes.wait(for: ids) }
        let limit = Task { [timeToPush = limits.timeToPush] in
            // A client need not send what was requested.
            try await suspend(for: timeToPush)
            collections[handle]?.writes.forgetRequests(of: ids)
        }
        defer { limit.cancel() }
        await writes.wait(for: ids)
    }

    /// Records the tree revisions from the histories of refused revisions of upgraded databases. Such a tree revision ends the document's
    /// history, and has to end the histories that are sent to the client. Accepted revisions record it themselves.
    private func recordLegacyRevisions(of refused: [RevisionWrite], in keyspace: Keyspace) async throws {
        for write in refused {
            guard case .versioned(let made) = write.kind, let copy = made.copy, let last = made.history.legacy.first else { continue }
            try await keyspace.recordLegacyRevisions([(write.id, [.tree(last)])], copy: copy)
        }
    }

    /// Whether an accepted revision gets a conflict as its reply: the revision has a tree ID, and the client's database was upgraded to
    /// versions.
    ///
    /// Once such a database has recorded, for any URL but its first, that a revision of its tree is on the server, it can no longer read
    /// the document: changes by others do not reach it until it edits the document (LiteCore 4.0.4, 4.1.0, `VectorRecord::forAllRevIDs`).
    /// With a conflict as the reply, the client gets the version by its pull: over this connection, or over the next if the app uses
    /// separate replicators for push and pull. The server cannot tell which URL is the first, because the database may have a checkpoint at
    /// each.
    private func needsVersionFromPull(_ write: RevisionWrite) -> Bool {
        guard subprotocol.hasVersions, !client.hasRevisionTrees, case .replicated = write.kind else { return false }
        return true
    }
}

extension BLIPRequestError {
    fileprivate static var pullBringsVersion: BLIPRequestError {
        BLIPRequestError(.conflict, "The revision is stored; the pull sends its version")
    }
}

extension Result where Failure == GatewayError {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether the write failed because of a conflict.
    fileprivate var isConflict: Bool {
        if case .failure(let error) = self { error.code == .conflict } else { false }
    }
}

/// A revision that a client has pushed and that is not yet stored.
struct IncomingRevision: Sendable {
    /// The number of the `rev` request, for the reply.
    let number: UInt64

    var write: RevisionWrite

    /// The approximate number of bytes that it occupies.
    let size: Int
}

/// Received revisions of one collection that wait to be written. Revisions that arrive together are written together.
struct RevisionInbox {
    private var waiting: [IncomingRevision] = []
    private var head = 0

    var isEmpty: Bool { head == waiting.count }

    mutating func append(_ revision: IncomingRevision) {
        waiting.append(revision)
    }

    /// Removes and returns the revisions for one transaction, in the order of arrival; empty if the inbox is empty.
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
