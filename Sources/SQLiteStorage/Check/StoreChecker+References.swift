import Storage

extension StoreChecker {
    /// Checks the references to documents in other tables.
    mutating func checkReferences() throws {
        try check.tick(.references, 0, of: 1)
        try checkOwners(
            "SELECT document, revision FROM bodies WHERE document NOT IN (SELECT key FROM documents) ORDER BY document", "the body of")
        try checkOwners(
            "SELECT document, id FROM departures WHERE document NOT IN (SELECT key FROM documents) ORDER BY document", "the departure of")
        try checkOwners(
            "SELECT document, collection FROM returns WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the return to collection")
        try checkOwners(
            "SELECT document, run FROM moves WHERE document NOT IN (SELECT key FROM documents) ORDER BY document", "the move in run")
        try checkOwners(
            "SELECT document, revision FROM versions WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the version vector of")
        try checkOwners(
            "SELECT document, client FROM client_revisions WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the revision of client")
        try checkOwners(
            "SELECT document, attachment FROM attachment_uses WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the use of attachment")
        try checkOwners(
            "SELECT document, digest FROM missing_attachments WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the missing attachment")
        try checkOwners(
            "SELECT source, name FROM grants WHERE source > 0 AND source NOT IN (SELECT key FROM documents) ORDER BY source",
            "the grant of")
        try checkOwners(
            "SELECT document, channel FROM channel_entries WHERE document NOT IN (SELECT key FROM documents) ORDER BY document",
            "the entry in channel")
        try checkOwners(
            """
            SELECT document, time FROM expiries WHERE document NOT IN (SELECT key FROM documents WHERE flags & 1024) ORDER BY document
            """, "the expiry at")
        let strayed = try count(
            """
            SELECT count(*) FROM channel_entries c JOIN documents d ON d.key = c.document
            WHERE c.collection != d.collection OR (c.sequence IS NULL) != (d.sequence IS NULL) OR NOT d.flags & 128
            """)
        if strayed > 0 { check.record(.reference, "\(strayed) channel entries do not match the place of their document") }
        let late = try count("SELECT count(*) FROM departures WHERE sequence > (SELECT value FROM settings WHERE name = 'store.counter')")
        if late > 0 { check.record(.reference, "\(late) departures have a sequence beyond the counter, \(check.lastSequence)") }
        let unborn = try count("SELECT count(*) FROM returns WHERE sequence > (SELECT value FROM settings WHERE name = 'store.counter')")
        if unborn > 0 { check.record(.reference, "\(unborn) returns have a sequence beyond the counter, \(check.lastSequence)") }
        try check.tick(.references, 1, of: 1)
    }

    /// - Parameter sql: Selects `document, detail` of each row whose document is missing.
    private mutating func checkOwners(_ sql: StaticString, _ what: String) throws {
        try connection.each(sql) { row in
            check.record(.reference, "\(what) \(row.text(1)) belongs to document \(row.integer(0)), which does not exist")
            return true
        }
    }
}
