import Storage

extension Keyspace {
    /// Removes documents with all their revisions: no tombstone remains, and no feed announces it.
    ///
    /// - Returns: The IDs of the documents that existed.
    @discardableResult
    package func purge(_ ids: [String]) async throws -> [String] {
        guard !ids.isEmpty else { return [] }
        let keyspace = self
        return try await store.write { transaction in
            var purged: [(id: String, document: DocumentRecord)] = []
            for id in ids {
                guard let document = try keyspace.locate(id, in: transaction, followingMoves: false), let key = document.key else {
                    continue
                }
                try transaction.rememberPlaces(of: key)
                try transaction.purge(key)
                purged.append((id, document))
            }
            try transaction.releaseParkedPushes(of: purged.map(\.document))
            return purged.map(\.id)
        }
    }
}

extension StoreTransaction {
    /// Redirects late writes at the former places of a purged document to the document that was written again under its legacy ID.
    func redirectFormerPlaces(of document: DocumentRecord, formerly unifiedID: String?, at sequence: SequenceNumber) throws {
        guard let key = document.key, let id = document.unifiedID ?? unifiedID else { return }
        for place in try removeRememberedPlaces(of: id) {
            // A document with this ID there is another document, or this one.
            guard try self.document(in: place.collection, id: place.id) == nil else { continue }
            try setDeparture(DepartureRecord(collection: place.collection, id: place.id, document: key, sequence: sequence))
        }
    }
}
