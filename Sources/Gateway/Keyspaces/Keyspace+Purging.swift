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
            try ids.filter { id in
                guard let key = try keyspace.locate(id, in: transaction, followingMoves: false)?.key else { return false }
                try transaction.purge(key)
                return true
            }
        }
    }
}
