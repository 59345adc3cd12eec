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
                try transaction.purge(key)
                purged.append((id, document))
            }
            try transaction.releaseParkedPushes(of: purged.map(\.document))
            return purged.map(\.id)
        }
    }
}
