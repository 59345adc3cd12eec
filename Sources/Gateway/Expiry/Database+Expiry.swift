import Documents
import Logging
import Storage

extension Database {
    /// Deletes the documents that expire at or before `time`, in milliseconds since 1970.
    ///
    /// As in Sync Gateway with a shared bucket, the winning revision gets a tombstone, which clients receive like any other tombstone. A losing
    /// branch may become the winner by it. An expired tombstone is purged.
    package func expireDocuments(at time: Int64, limit: Int = 200) async throws -> ExpirySweep {
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

    /// - Returns: the documents whose tombstones were refused.
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
            // A concurrent write has set the expiry again; or the sync function can be called later.
            case .conflict, .unavailable: continue
            case .badRequest, .digestMismatch, .unauthorized, .forbidden, .loginWanted, .notFound, .deleted, .missingAttachment, .tooLarge,
                .configuration, .script:
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

/// The result of one expiry run.
package struct ExpirySweep: Sendable, Equatable {
    /// Documents that got a tombstone.
    package internal(set) var deleted = 0

    /// Documents that were purged: tombstones, and documents whose tombstone the sync function refuses.
    package internal(set) var purged = 0

    /// When the next document expires, in milliseconds since 1970; `nil` if none does.
    package internal(set) var next: Int64?

    /// Whether more due documents may be left.
    package internal(set) var isFull = false
}
