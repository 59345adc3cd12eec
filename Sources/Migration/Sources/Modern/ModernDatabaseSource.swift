import Documents
import Gateway
import SQLiteStorage
import Storage

/// A database of Couchbase Lite 2.x or 3.x.
///
/// Its document tables are read in order of their names, each by row key. Bodies are converted from Fleece to JSON.
actor ModernDatabaseSource: MigrationSource {
    nonisolated let label: String
    private let database: SourceDatabase
    private let blobs: BlobFolder
    private let tables: [ModernTable]
    private let keys: SharedKeys
    private let identity: String?

    /// - Throws: ``SourceError``.
    init(label: String, database: SourceDatabase, tables names: Set<String>, blobs: BlobFolder) throws {
        self.label = label
        self.database = database
        self.blobs = blobs
        do {
            tables = try database.read { try ModernTable.all(names, $0) }
            let info = try database.read { try ModernInfo($0) }
            guard info.versioning < 2 else {
                throw SourceError(
                    .unsupported,
                    "\(label): the database is one of Couchbase Lite 4 with version vectors, which have no revision trees. Let the app replicate "
                        + "with the bridge over WebSocket, or give the URL (ws://) of a listener that serves the database.")
            }
            keys = try SharedKeys(info.sharedKeys)
            identity = info.privateUUID
        } catch let error as SourceError {
            throw error
        } catch {
            throw SourceError(
                .damaged,
                "\(label): the database's schema or its list of shared keys cannot be read, so no document can be read. Take "
                    + "another copy of it.", cause: error)
        }
    }

    func summary() -> SourceSummary {
        let documents = try? database.read { connection in
            try tables.reduce(0) { sum, table in
                var count = 0
                try connection.each(query: "SELECT count(*) FROM \(table.quoted)") { row in
                    count = Int(row.integer(0))
                    return false
                }
                return sum + count
            }
        }
        let isOld = tables.contains { !$0.hasExtra }
        return SourceSummary(
            kind: "Couchbase Lite \(isOld ? "2.x" : "3.x") database", identity: identity, documents: documents,
            collections: Set(tables.map(\.collection)).subtracting([.default]).sorted())
    }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) throws -> SourceBatch? {
        var place = try ModernCursor(cursor, label: label)
        while let table = tables.first(where: { $0.name == place.table || place.table.isEmpty || $0.name > place.table }) {
            if table.name != place.table { place = ModernCursor(table: table.name, key: 0) }
            if let batch = try batch(of: table, after: place.key, limits) { return batch }
            guard let next = tables.first(where: { $0.name > table.name }) else { return nil }
            place = ModernCursor(table: next.name, key: 0)
        }
        return nil
    }

    nonisolated func readAttachment(
        _ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void
    ) async throws {
        try await blobs.read(attachment, label: label, consume)
    }

    func close() {
        database.close()
    }

    private func batch(of table: ModernTable, after key: Int64, _ limits: SourceBatchLimits) throws -> SourceBatch? {
        do {
            return try read(table, after: key, limits)
        } catch  where SourceDatabase.isDamage(error) {
            return try salvage(table, after: key, limits)
        } catch let error as StorageError {
            throw SourceError(.damaged, "\(label): the table \(table.name) cannot be read.", cause: error)
        }
    }

    private func read(_ table: ModernTable, after key: Int64, _ limits: SourceBatchLimits) throws -> SourceBatch? {
        try database.read { connection in
            var (items, documents, bytes, last): ([SourceItem], Int, Int, Int64?) = ([], 0, 0, nil)
            // A row contains the revision tree and the bodies of several revisions, hence twice the body limit.
            let columns = table.columns(limit: limits.bodyBytes * 2)
            try connection.each(query: "SELECT \(columns) FROM \(table.quoted) WHERE rowid > ? ORDER BY rowid", key) { row in
                let row = ModernRow(row)
                items += row.items(table.collection, keys: keys, limits: limits)
                documents += 1
                bytes += row.length
                last = row.key
                return documents < limits.documents && bytes < limits.bytes
            }
            return last.map { SourceBatch(items: items, cursor: ModernCursor(table: table.name, key: $0).cursor) }
        }
    }

    /// Reads the readable rows of a table with damaged pages.
    private func salvage(_ table: ModernTable, after key: Int64, _ limits: SourceBatchLimits) throws -> SourceBatch? {
        try database.read { connection in
            let last = try lastKey(table, connection)
            guard key < last else { return nil }
            let range = key + 1...min(last, key + Int64(max(1, min(limits.documents, 100))))
            var items: [SourceItem] = []
            let query = "SELECT \(table.columns(limit: limits.bodyBytes * 2)) FROM \(table.quoted) WHERE rowid BETWEEN ? AND ?"
            let unreadable = try Salvage.read(range) { part in
                var found: [SourceItem] = []
                try connection.each(query: query, part.lowerBound, part.upperBound) { row in
                    found += ModernRow(row).items(table.collection, keys: keys, limits: limits)
                    return true
                }
                items += found
            }
            for range in unreadable {
                items.append(
                    .fault(
                        SourceFault(
                            id: "\(table.name) rows \(range.lowerBound) to \(range.upperBound)",
                            reason: "the page of the database that has these documents is damaged; take them from another copy")))
            }
            return SourceBatch(items: items, cursor: ModernCursor(table: table.name, key: range.upperBound).cursor)
        }
    }

    /// An upper bound of the row keys: the last row's key or, if its page is damaged, the largest key in the index of IDs.
    private func lastKey(_ table: ModernTable, _ connection: Connection) throws -> Int64 {
        for query in [
            "SELECT max(rowid) FROM \(table.quoted) NOT INDEXED", "SELECT max(rowid) FROM (SELECT rowid FROM \(table.quoted) ORDER BY key)",
        ] {
            var last: Int64 = 0
            do {
                try connection.each(query: query) { row in
                    last = row.integer(0)
                    return false
                }
                return last
            } catch  where SourceDatabase.isDamage(error) {
                continue
            }
        }
        throw SourceError(
            .damaged, "\(label): the table \(table.name) is damaged so much that no document can be found in it. Take another copy.")
    }
}

/// A position in a Couchbase Lite 2.x or 3.x database: after a row of a table.
struct ModernCursor {
    /// Empty at the beginning.
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
            throw SourceError(
                .changed, "\(label): \"\(cursor.rawValue)\" is not a position in this database. Start the run again from the beginning.")
        }
        self.init(table: String(parts[1]), key: key)
    }

    var cursor: SourceCursor { SourceCursor(rawValue: "\(key) \(table)") }
}
