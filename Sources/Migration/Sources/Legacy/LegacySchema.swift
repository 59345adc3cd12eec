import Documents
import SQLiteStorage
import Storage

/// The optional tables and columns of a Couchbase Lite 1.x database, which vary between 1.0 and 1.4.
struct LegacySchema: Sendable {
    /// `docs.expiry_timestamp`, since 1.3.
    let hasExpiry: Bool

    /// Up to 1.0, a separate table lists the attachments of a revision.
    let hasAttachmentTable: Bool

    /// Whether the database belongs to Couchbase Lite 1.x.
    static func recognizes(_ tables: Set<String>) -> Bool {
        tables.isSuperset(of: ["docs", "revs"])
    }

    init(_ connection: Connection, tables: Set<String>) throws {
        var hasExpiry = false
        try connection.each("SELECT name FROM pragma_table_info('docs')") { row in
            if row.text(0) == "expiry_timestamp" { hasExpiry = true }
            return true
        }
        self.hasExpiry = hasExpiry
        hasAttachmentTable = tables.contains("attachments")
    }

    /// The columns of a revision, in the order in which ``LegacyRow`` reads them.
    ///
    /// - Parameter limit: Largest body in bytes. A larger ancestor's body is omitted, and a larger leaf's body is truncated to three times the
    ///   limit.
    func revisionColumns(limit: Int) -> String {
        // The row header contains the length of a blob, so SQLite does not read its pages.
        "r.sequence, CAST(r.revid AS BLOB), r.parent, r.current, r.deleted, length(r.json), "
            + "CASE WHEN length(r.json) <= \(limit) THEN r.json WHEN r.current THEN substr(r.json, 1, \(limit) * 3) END"
    }

    /// The columns of a document.
    var documentColumns: String {
        "d.doc_id, CAST(d.docid AS BLOB), \(hasExpiry ? "d.expiry_timestamp" : "NULL")"
    }
}

/// A row of `revs`.
struct LegacyRow {
    let sequence: Int64
    let revision: [UInt8]

    /// Sequence of the parent revision.
    let parent: Int64?

    /// Whether the revision is a leaf.
    let isCurrent: Bool
    let isDeleted: Bool

    /// Length of the body in bytes; `nil` without a body, such as for ancestors after a compaction.
    let length: Int?

    /// The body; also `nil` if an ancestor's body exceeds the limit. A leaf's body is truncated.
    let json: [UInt8]?

    /// - Parameters:
    ///   - row: A row with the columns of ``LegacySchema/revisionColumns(limit:)``.
    ///   - first: Index of the first of these columns.
    init(_ row: Row, first: Int32) {
        sequence = row.integer(first)
        revision = row.bytes(first + 1)
        parent = row.optionalInteger(first + 2)
        isCurrent = row.bool(first + 3)
        isDeleted = row.bool(first + 4)
        length = row.optionalInteger(first + 5).map { Int($0) }
        json = row.optionalBytes(first + 6)
    }

    private init(_ other: LegacyRow) {
        sequence = other.sequence
        revision = other.revision
        parent = other.parent
        isCurrent = other.isCurrent
        isDeleted = other.isDeleted
        length = nil
        json = nil
    }

    /// The row without its body, as after a compaction.
    var withoutBody: LegacyRow { LegacyRow(self) }
}

/// A row of the table `attachments` of Couchbase Lite 1.0 and TouchDB (CBL_Attachment; `encoding` 1 is gzip).
enum LegacyAttachmentRow {
    static func entries(of sequence: Int64, _ connection: Connection) throws -> [AttachmentMetadata] {
        try connection.all(
            "SELECT filename, key, type, encoding, length, encoded_length, revpos FROM attachments WHERE sequence = ? ORDER BY filename",
            sequence
        ) { row in
            let isEncoded = row.integer(3) == 1
            return AttachmentMetadata(
                name: row.text(0), digest: AttachmentDigest(.sha1, bytes: row.bytes(1)),
                length: row.optionalInteger(4).map { Int($0) }, revpos: row.optionalInteger(6).map { Int($0) },
                contentType: row.optionalText(2), encoding: isEncoded ? "gzip" : nil,
                encodedLength: isEncoded ? row.optionalInteger(5).map { Int($0) } : nil)
        }
    }
}
