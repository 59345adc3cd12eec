/// A place in a Couchbase Lite 2.x or 3.x database: after a row of a table.
struct ModernCursor {
    /// Empty before the first.
    let table: String
    let key: Int64

    init(table: String, key: Int64) {
        self.table = table
        self.key = key
    }

    /// - Throws: ``SourceError`` `changed`.
    init(_ cursor: SourceCursor?, label: String) throws(SourceError) {
        guard let cursor else {
            self.init(table: "", key: 0)
            return
        }
        let parts = cursor.rawValue.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let key = Int64(parts[0]) else {
            throw SourceError(.changed, "\(label): \"\(cursor.rawValue)\" is no place in this database. Start the run anew.")
        }
        self.init(table: String(parts[1]), key: key)
    }

    var cursor: SourceCursor { SourceCursor(rawValue: "\(key) \(table)") }
}
