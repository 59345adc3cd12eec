import Documents
import SQLiteStorage
import Storage

/// Which of a Couchbase Lite 1.x database's tables and columns there are. They grew between 1.0 and 1.4.
struct LegacySchema: Sendable {
    /// `docs.expiry_timestamp`, since 1.3.
    let hasExpiry: Bool

    /// Up to 1.0, what a revision has attached stands in a table of its own.
    let hasAttachmentTable: Bool

    /// Whether the database is one of Couchbase Lite 1.x at all.
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

    /// The columns of a document and those of a revision, in the order in which ``LegacyRow`` reads them.
    ///
    /// - Parameter limit: bytes from which on an ancestor's body is not read, but only its length, and a leaf's as far as it is kept.
    func revisionColumns(limit: Int) -> String {
        // The length of a blob is in the row's head; its pages are not read for it.
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

    /// The sequence of the revision that this one follows.
    let parent: Int64?

    /// Whether it is a leaf.
    let isCurrent: Bool
    let isDeleted: Bool

    /// How many bytes its body has; `nil` if there is none, as with ancestors after a compaction.
    let length: Int?

    /// `nil` also if an ancestor's body has more bytes than wanted; a leaf's is cut then.
    let json: [UInt8]?

    /// - Parameters:
    ///   - row: one with the columns of ``LegacySchema/revisionColumns(limit:)``.
    ///   - first: where these begin.
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

    /// The row as it would be after a compaction.
    var withoutBody: LegacyRow { LegacyRow(self) }
}

/// A row of the table `attachments`, which Couchbase Lite 1.0 and TouchDB have (CBL_Attachment, `encoding` 1 is gzip).
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
