import Storage

extension Keyspace {
    /// Forgets documents with all their revisions, as if they had never been here: no tombstone remains, and no feed tells of it.
    ///
    /// - Returns: The IDs of those that were there.
    @discardableResult
    public func purge(_ ids: [String]) async throws -> [String] {
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
    /// Has writes that still arrive at the places that a document had before it was purged find the one that has come back under its legacy ID.
    func takeBackPlaces(of document: DocumentRecord, formerly unifiedID: String?, at sequence: SequenceNumber) throws {
        guard let key = document.key, let id = document.unifiedID ?? unifiedID else { return }
        for place in try removeRememberedPlaces(of: id) {
            // Whatever lives there now is another document, or this one.
            guard try self.document(in: place.collection, id: place.id) == nil else { continue }
            try setDeparture(DepartureRecord(collection: place.collection, id: place.id, document: key, sequence: sequence))
        }
    }
}
