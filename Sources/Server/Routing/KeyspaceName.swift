import Gateway

/// The first segment of a path: a database, or a collection of one.
struct KeyspaceName {
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

    func keyspace(in database: Database) -> Keyspace? {
        collection.map { database.keyspace($0) } ?? database.unified
    }
}
