import GRDB
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
