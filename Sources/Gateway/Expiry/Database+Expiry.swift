import Documents
import Logging
import Storage

extension Database {
    /// Ends the documents that expire at `time`, in milliseconds since 1970, or before it.
    ///
    /// As where Sync Gateway shares its bucket, the winning revision gets a tombstone, which clients hear of as of any other; a branch that
    /// had lost may win by it. A tombstone that expires is forgotten.
    public func expireDocuments(at time: Int64, limit: Int = 200) async throws -> ExpirySweep {
        let (due, next) = try await store.read { snapshot in
            let keys = try snapshot.expired(at: time, limit: limit)
            return (try keys.compactMap { try snapshot.document($0) }, try snapshot.nextExpiry(after: time))
        }
        var sweep = ExpirySweep(next: next)
        for (collection, documents) in Dictionary(grouping: due, by: \.collection) {
            let live = documents.filter { !$0.flags.contains(.deleted) }
            let refused = try await deleteExpired(live, in: collection)
            sweep.deleted += live.count - refused.count
            sweep.purged += try await purgeExpired(documents.filter { $0.flags.contains(.deleted) } + refused)
        }
        sweep.isFull = due.count == limit && sweep.deleted + sweep.purged > 0
        return sweep
    }

    /// - Returns: those which must not get a tombstone.
    private func deleteExpired(_ documents: [DocumentRecord], in collection: CollectionKey) async throws -> [DocumentRecord] {
        guard !documents.isEmpty else { return [] }
        let keyspace = Keyspace(database: self, scope: .collection(collection), name: name)
        let writes = documents.map {
            RevisionWrite(id: $0.id, kind: .edit(parent: $0.winner), isDeleted: true, body: DocumentBody.empty)
        }
        var refused: [DocumentRecord] = []
        for (document, result) in zip(documents, try await keyspace.write(writes)) {
            guard case .failure(let error) = result else { continue }
            switch error.code {
            // Somebody was faster, and has said anew when it expires; or the function can be asked later.
            case .conflict, .unavailable: continue
            default:
                logger.warning(
                    "an expired document is purged, because the sync function refuses its tombstone",
                    metadata: ["document": "\(document.id)", "error": "\(error)"])
                refused.append(document)
            }
        }
        return refused
    }

    private func purgeExpired(_ documents: [DocumentRecord]) async throws -> Int {
        guard !documents.isEmpty else { return 0 }
        return try await store.write { transaction in
            var purged: [DocumentRecord] = []
            for document in documents {
                guard let key = document.key, try transaction.document(key)?.winner == document.winner else { continue }
                try transaction.purge(key)
                purged.append(document)
            }
            try transaction.releaseParkedPushes(of: purged)
            return purged.count
        }
    }
}

/// What became of documents whose time had come.
public struct ExpirySweep: Sendable, Equatable {
    /// Documents that got a tombstone.
    public internal(set) var deleted = 0

    /// Documents that were forgotten: tombstones, and those whose sync function does not let a tombstone be written.
    public internal(set) var purged = 0

    /// When the next document expires, in milliseconds since 1970; `nil` if none does.
    public internal(set) var next: Int64?

    /// Whether there may be more that are due.
    public internal(set) var isFull = false
}
