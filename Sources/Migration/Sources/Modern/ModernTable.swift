import Documents
import Gateway
import SQLiteStorage
import Storage

/// A document table of a Couchbase Lite 2.x or 3.x database, with the live or the deleted documents of a collection.
struct ModernTable: Sendable {
    let name: String
    let collection: CollectionName

    /// Optional columns, added in 3.0 and 3.2.
    let hasExtra: Bool
    let hasExpiration: Bool

    /// The document tables, sorted by name.
    ///
    /// Table names (LiteCore, SQLiteKeyStore.cc, transformCollectionName; DatabaseImpl.cc, collectionNameToKeyStoreName):
    /// - The default collection's table is `kv_default`; another's is `kv_.SCOPE.COLLECTION`, without the scope if that is the default one.
    /// - A backslash precedes each capital letter, because SQLite table names are case-insensitive.
    /// - Since 3.0, deleted documents have separate tables, `kv_del_…`.
    static func all(_ names: Set<String>, _ connection: Connection) throws -> [ModernTable] {
        try names.sorted().compactMap { name in
            guard let collection = collection(of: name) else { return nil }
            var columns: Set<String> = []
            try connection.each("SELECT name FROM pragma_table_info(?)", name) { row in
                columns.insert(row.text(0))
                return true
            }
            return ModernTable(
                name: name, collection: collection, hasExtra: columns.contains("extra"), hasExpiration: columns.contains("expiration"))
        }
    }

    /// The collection of a document table; `nil` for other tables.
    static func collection(of table: String) -> CollectionName? {
        guard table.hasPrefix("kv_"), !table.contains(":") else { return nil }
        var store = table.dropFirst(3)
        if store.hasPrefix("del_") { store = store.dropFirst(4) }
        if store == "default" { return .default }
        guard store.hasPrefix(".") else { return nil }
        return CollectionName(String(store.dropFirst()).replacing("\\", with: ""))
    }

    /// The quoted name for SQL.
    var quoted: String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// The columns in the order in which ``ModernRow`` reads them.
    ///
    /// - Parameter limit: Largest size in bytes. A larger body is truncated, and its tree is not read.
    func columns(limit: Int) -> String {
        let tree = hasExtra ? "extra" : "NULL"
        let length = "coalesce(length(body), 0) + coalesce(length(\(tree)), 0)"
        return """
            rowid, CAST(key AS BLOB), sequence, flags, version, \(length), substr(body, 1, \(limit)), \
            CASE WHEN \(length) <= \(limit) THEN \(tree) END, \(hasExpiration ? "expiration" : "NULL")
            """
    }
}

/// Metadata of a Couchbase Lite 2.x+ database from the table `kv_info`.
struct ModernInfo {
    /// 0: revision trees as in 2.x, 1: as in 3.x, 2: version vectors (LiteCore, C4DocumentVersioning).
    private(set) var versioning = 0

    /// The shared keys as a Fleece array; the default is an empty one.
    private(set) var sharedKeys: [UInt8] = [0x60, 0x00]

    /// UUID that distinguishes the database from its copies and ancestors, in hexadecimal.
    private(set) var privateUUID: String?

    init(_ connection: Connection) throws {
        try connection.each("SELECT key, body FROM kv_info WHERE key IN ('versioning', 'SharedKeys', 'privateUUID')") { row in
            switch row.text(0) {
            case "versioning": versioning = row.bytes(1).reduce(0) { $0 &<< 8 | Int($1) }
            case "SharedKeys": sharedKeys = row.bytes(1)
            default: privateUUID = Hex.text(row.bytes(1))
            }
            return true
        }
    }
}
