import SQLiteStorage
import Storage

/// Recovery of documents from a database with damaged pages. Documents and revisions are read one by one around the damage. Damaged indexes are
/// bypassed by table scans.
extension LegacyDatabaseSource {
    func salvage(after key: Int64, _ limits: SourceBatchLimits) throws -> SourceBatch? {
        try database.read { connection in
            let end = try lastKey(connection)
            guard key < end else { return nil }
            let range = key + 1...min(end, key + Int64(max(1, limits.documents)))
            var batch = LegacyBatch(limits)
            var documents: [Int64: LegacyDocument] = [:]
            let unreadable = try readDocuments(range, &documents, connection)
            let lost = try readNames(unreadable, &documents, connection)
            try readRevisions(&documents, limits, connection)
            for document in documents.values.sorted(by: { $0.key < $1.key }) {
                batch.finish(document)
                if batch.isFull { break }
            }
            let reached = batch.isFull ? batch.last ?? range.upperBound : range.upperBound
            for range in lost where range.lowerBound <= reached {
                batch.refuse(Self.fault(range.clamped(to: range.lowerBound...reached)))
            }
            batch.reach(reached)
            return batch.result
        }
    }

    private static func fault(_ range: ClosedRange<Int64>) -> SourceFault {
        let numbers =
            range.lowerBound == range.upperBound ? "number \(range.lowerBound)" : "numbers \(range.lowerBound) to \(range.upperBound)"
        return SourceFault(
            id: "docs \(numbers)",
            reason: "the page of the database that has the IDs of documents with these numbers is damaged; take them from another copy")
    }

    /// An upper bound of the document keys. Each document has had at least one revision, so the number of revisions is an upper bound, too.
    private func lastKey(_ connection: Connection) throws -> Int64 {
        for query in [
            "SELECT max(doc_id) FROM docs", "SELECT seq FROM sqlite_sequence WHERE name = 'revs'", "SELECT max(sequence) FROM revs",
        ] {
            var last: Int64?
            do {
                try connection.each(query: query) { row in
                    last = row.optionalInteger(0)
                    return false
                }
                return last ?? 0
            } catch  where SourceDatabase.isDamage(error) {
                continue
            }
        }
        throw SourceError(.damaged, "\(label): the database is damaged so much that no document can be found in it. Take another copy.")
    }

    private func readDocuments(
        _ range: ClosedRange<Int64>, _ documents: inout [Int64: LegacyDocument], _ connection: Connection
    ) throws -> [ClosedRange<Int64>] {
        let query = "SELECT \(schema.documentColumns) FROM docs d WHERE d.doc_id BETWEEN ? AND ?"
        return try Salvage.read(range) { part in
            var found: [LegacyDocument] = []
            try connection.each(query: query, part.lowerBound, part.upperBound) { row in
                found.append(LegacyDocument(key: row.integer(0), id: row.bytes(1), expiry: row.optionalInteger(2)))
                return true
            }
            for document in found { documents[document.key] = document }
        }
    }

    /// Reads documents from the index of document IDs, which contains everything except the expiry.
    ///
    /// - Returns: The ranges that cannot be read there either.
    private func readNames(
        _ ranges: [ClosedRange<Int64>], _ documents: inout [Int64: LegacyDocument], _ connection: Connection
    ) throws -> [ClosedRange<Int64>] {
        guard let first = ranges.first, let last = ranges.last else { return [] }
        var found: [LegacyDocument] = []
        do {
            let query = """
                SELECT doc_id, CAST(docid AS BLOB) FROM docs INDEXED BY sqlite_autoindex_docs_1
                WHERE docid >= '' AND doc_id BETWEEN ? AND ?
                """
            try connection.each(query: query, first.lowerBound, last.upperBound) { row in
                found.append(LegacyDocument(key: row.integer(0), id: row.bytes(1), expiry: nil))
                return true
            }
        } catch  where SourceDatabase.isDamage(error) || (error as? StorageError)?.code == .unexpected {
            return ranges
        }
        for document in found where documents[document.key] == nil { documents[document.key] = document }
        return []
    }

    private func readRevisions(
        _ documents: inout [Int64: LegacyDocument], _ limits: SourceBatchLimits, _ connection: Connection
    ) throws {
        let columns = schema.revisionColumns(limit: limits.bodyBytes)
        var failed: Set<Int64> = []
        for key in documents.keys {
            do {
                var rows: [LegacyRow] = []
                try connection.each(query: "SELECT \(columns) FROM revs r WHERE r.doc_id = ?", key) { row in
                    rows.append(LegacyRow(row, first: 0))
                    return true
                }
                documents[key]?.rows = rows
            } catch  where SourceDatabase.isDamage(error) {
                failed.insert(key)
            }
        }
        if !failed.isEmpty { try scan(for: failed, columns, &documents, connection) }
        for key in documents.keys {
            do {
                guard var document = documents[key] else { continue }
                try attachments(connection)(&document)
                documents[key] = document
            } catch  where SourceDatabase.isDamage(error) {
                documents[key]?.damage = "the page that names its attachments is damaged; take the document from another copy"
            }
        }
    }

    /// Scans the whole table for the revisions of some documents.
    private func scan(
        for keys: Set<Int64>, _ columns: String, _ documents: inout [Int64: LegacyDocument], _ connection: Connection
    ) throws {
        var last: Int64 = 0
        try connection.each(query: "SELECT seq FROM sqlite_sequence WHERE name = 'revs'") { row in
            last = row.integer(0)
            return false
        }
        guard last > 0, let first = keys.min(), let final = keys.max() else { return }
        let query = "SELECT r.doc_id, \(columns) FROM revs r NOT INDEXED WHERE r.sequence BETWEEN ? AND ? AND r.doc_id BETWEEN ? AND ?"
        let unreadable = try Salvage.read(1...last) { part in
            var found: [(Int64, LegacyRow)] = []
            try connection.each(query: query, part.lowerBound, part.upperBound, first, final) { row in
                if keys.contains(row.integer(0)) { found.append((row.integer(0), LegacyRow(row, first: 1))) }
                return true
            }
            for (key, row) in found { documents[key]?.rows.append(row) }
        }
        // If only the index is damaged, the table is complete.
        guard !unreadable.isEmpty else { return }
        for key in keys {
            documents[key]?.damage = "a page of the database that has revisions of this document is damaged; take it from another copy"
        }
    }
}
