import Storage

extension Keyspace {
    /// What replicators call it where they are not told otherwise: its collection, or the default one for the unified keyspace.
    public var collectionName: CollectionName {
        guard case .collection(let key) = scope, let record = database.collections[key] else { return .default }
        return CollectionName(scope: record.scope, name: record.name)
    }

    /// The database's UUID, 16 bytes, by which its replicators name their checkpoints.
    public func databaseUUID() async throws -> [UInt8] {
        try await store.read(as: share) { try $0.uuid }
    }
}
