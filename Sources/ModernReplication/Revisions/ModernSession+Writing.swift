import BLIP
import Gateway

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
            let results = try await keyspace.write(batch.map(\.write))
            let conflicts = zip(batch, results).compactMap { revision, result in result.isConflict ? revision.write.id : nil }
            try await show(conflicts, in: handle)
            for (revision, result) in zip(batch, results) {
                switch result {
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
}

extension Result where Failure == GatewayError {
    /// Whether another revision is in the way.
    fileprivate var isConflict: Bool {
        if case .failure(let error) = self { error.code == .conflict } else { false }
    }
}
