import Gateway

/// The first segment of a path: a database, or a collection of one.
struct KeyspaceName: Sendable {
    let database: String

    /// `nil` for the unified keyspace.
    let collection: CollectionName?

    /// Reads `db`, `db.collection` or `db.scope.collection`.
    init?(_ text: String) {
        guard let dot = text.firstIndex(of: ".") else {
            database = text
            collection = nil
            return
        }
        guard let name = CollectionName(String(text[text.index(after: dot)...])) else { return nil }
        database = String(text[..<dot])
        collection = name
    }

    /// The keyspace; `nil` if the store has no such collection.
    func keyspace(in database: Database) async throws -> Keyspace? {
        guard let collection else { return database.unified }
        if let known = database.keyspace(collection) { return known }
        try await database.readCollections()
        return database.keyspace(collection)
    }
}
