import BLIP
import Documents
import Gateway
import ModernProtocol

extension ModernSession {
    /// Puts a revision that is complete among those to be written.
    ///
    /// - Returns: Whether the caller has to see to it that ``write(_:)`` runs: nobody is writing to the collection.
    func enqueue(_ revision: IncomingRevision, in collection: SessionCollection) -> Bool {
        collection.inbox.append(revision)
        load.revisions += 1
        load.bytes += revision.size
        guard !collection.isWriting else { return false }
        collection.isWriting = true
        return true
    }

    /// Writes what has arrived for a collection, and what arrives meanwhile, a transaction after the other. Each revision is answered
    /// when it is durable.
    func write(_ handle: CollectionHandle) async {
        guard let collection = collections[handle] else { return }
        while true {
            let batch = collection.inbox.takeBatch(limits)
            guard !batch.isEmpty else { break }
            await write(batch, to: collection.keyspace, handle)
            load.revisions -= batch.count
            load.bytes -= batch.reduce(0) { $0 + $1.size }
            relieved.open()
        }
        collection.isWriting = false
    }

    private func write(_ batch: [IncomingRevision], to keyspace: Keyspace, _ handle: CollectionHandle) async {
        do {
            try await keyspace.recognize(batch.map(\.write), wasUnified: collections[handle]?.wasUnified == true)
            let results = try await keyspace.write(batch.map(\.write))
            let refused = zip(batch, results).compactMap { revision, result in result.isConflict ? revision.write : nil }
            try await recordLegacyRevisions(of: refused, in: keyspace)
            let taken = zip(batch, results).compactMap { revision, result in result.isSuccess ? revision.write : nil }
            try await show((refused + taken.filter(comesBack)).map(\.id), in: handle)
            for (revision, result) in zip(batch, results) {
                switch result {
                case .success where comesBack(revision.write): refuse(revision.number, RequestError.isHereNow)
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

    /// Remembers what an upgraded database says of documents whose revisions are refused: it stands at the end of their histories, and has to stand at the end
    /// of those that come. What is taken tells it by itself.
    private func recordLegacyRevisions(of refused: [RevisionWrite], in keyspace: Keyspace) async throws {
        for write in refused {
            guard case .versioned(let made) = write.kind, let copy = made.copy, let last = made.history.legacy.first else { continue }
            try await keyspace.recordLegacyRevisions([(write.id, [.tree(last)])], copy: copy)
        }
    }

    /// Whether a client must not hear that its revision is here now: the revision is one of a tree, and the database was upgraded to versions.
    ///
    /// Such a database can no longer read a document of which it has noted, for any URL but its first, that a revision of its tree is there: what others write
    /// does not reach it until it edits the document (LiteCore 4.0.4, 4.1.0, `VectorRecord::forAllRevIDs`). So the client is told of a conflict, and its
    /// pull brings the version: over this connection, or over the next one, as of an app that pushes and pulls with a replicator each. Nothing tells which URL
    /// is the first: the database may have a checkpoint at each.
    private func comesBack(_ write: RevisionWrite) -> Bool {
        guard subprotocol.hasVersions, !client.hasRevisionTrees, case .replicated = write.kind else { return false }
        return true
    }
}

extension RequestError {
    fileprivate static var isHereNow: RequestError {
        RequestError(.conflict, "The revision is here now; the pull brings its version")
    }
}

extension Result where Failure == GatewayError {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether another revision is in the way.
    fileprivate var isConflict: Bool {
        if case .failure(let error) = self { error.code == .conflict } else { false }
    }
}

/// A revision that a client has sent, on its way into the store.
struct IncomingRevision: Sendable {
    /// The number of its `rev` request, to which the reply goes.
    let number: UInt64

    var write: RevisionWrite

    /// The bytes that it holds, about.
    let size: Int
}

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
