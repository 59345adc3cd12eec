import Storage

extension PostgreSQLChecker {
    /// Checks the references to documents in other tables.
    mutating func checkReferences() throws {
        try check.tick(.references, 0, of: 1)
        try checkOwners(
            "SELECT document, revision FROM bodies b WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000",
            "the body of")
        try checkOwners(
            "SELECT document, id FROM departures b WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000",
            "the departure of")
        try checkOwners(
            """
            SELECT document, convert_to(collection::text, 'UTF8') FROM returns b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the return to collection")
        try checkOwners(
            """
            SELECT document, convert_to(run::text, 'UTF8') FROM moves b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the move in run")
        try checkOwners(
            "SELECT document, revision FROM versions b WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000",
            "the version vector of")
        try checkOwners(
            """
            SELECT document, convert_to(encode(client, 'hex'), 'UTF8') FROM client_revisions b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the revision of client")
        try checkOwners(
            """
            SELECT document, convert_to(attachment::text, 'UTF8') FROM attachment_uses b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the use of attachment")
        try checkOwners(
            """
            SELECT document, digest FROM missing_attachments b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the missing attachment")
        try checkOwners(
            """
            SELECT source, name FROM grants b WHERE source > 0 AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.source) LIMIT 1000
            """, "the grant of")
        try checkOwners(
            """
            SELECT document, convert_to(channel::text, 'UTF8') FROM channel_entries b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document) LIMIT 1000
            """, "the entry in channel")
        try checkOwners(
            """
            SELECT document, convert_to(time::text, 'UTF8') FROM expiries b
            WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.key = b.document AND d.flags & 1024 <> 0) LIMIT 1000
            """, "the expiry at")
        try checkPlaces()
        try check.tick(.references, 1, of: 1)
    }

    private mutating func checkPlaces() throws {
        let strayed = try count(
            """
            SELECT count(*) FROM channel_entries c JOIN documents d ON d.key = c.document
            WHERE c.collection <> d.collection OR (c.sequence IS NULL) <> (d.sequence IS NULL) OR d.flags & 128 = 0
            """)
        if strayed > 0 { check.record(.reference, "\(strayed) channel entries do not match the place of their document") }
        let unnamed = try count(
            "SELECT count(*) FROM channel_entries e WHERE NOT EXISTS (SELECT 1 FROM channels c WHERE c.key = e.channel)")
        if unnamed > 0 { check.record(.reference, "\(unnamed) channel entries are in channels that do not exist") }
        let late = try count("SELECT count(*) FROM departures WHERE sequence > (SELECT counter FROM store)")
        if late > 0 { check.record(.reference, "\(late) departures have a sequence beyond the counter, \(check.lastSequence)") }
        let unborn = try count("SELECT count(*) FROM returns WHERE sequence > (SELECT counter FROM store)")
        if unborn > 0 { check.record(.reference, "\(unborn) returns have a sequence beyond the counter, \(check.lastSequence)") }
    }

    /// - Parameter sql: Selects `document, detail` of rows whose document is missing.
    private mutating func checkOwners(_ sql: StaticString, _ what: String) throws {
        for (document, detail) in try connection.all(sql, row: { ($0.integer(0), $0.text(1)) }) {
            check.record(.reference, "\(what) \(detail) belongs to document \(document), which does not exist")
        }
    }
}
