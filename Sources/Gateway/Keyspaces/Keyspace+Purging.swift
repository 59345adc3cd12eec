import Storage

extension Keyspace {
    /// Forgets documents with all their revisions, as if they had never been here: no tombstone remains, and no feed tells of it.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func purge(_ ids: [String]) async throws -> Int {
        guard !ids.isEmpty else { return 0 }
        let keyspace = self
        return try await store.write { transaction in
            var count = 0
            for id in ids {
                guard let key = try keyspace.locate(id, in: transaction, followingMoves: false)?.key else { continue }
                try transaction.purge(key)
                count += 1
            }
            return count
        }
    }
}
