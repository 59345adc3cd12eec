import Storage

extension PostgreSQLChecker {
    mutating func checkAttachments() throws {
        let total = try count("SELECT count(*) FROM attachments WHERE digest IS NOT NULL")
        var after: Int64 = 0
        while let (key, length, digest, uses) = try nextAttachment(after: after) {
            after = key
            let users = try connection.first("SELECT count(*) FROM attachment_uses WHERE attachment = $1", key) { $0.integer(0) }
            let connection = connection
            let parts = try AttachmentParts(connection, key)
            try check.checkAttachment(key, length: length, digest: digest, uses: (uses, users ?? 0), parts: parts) { update in
                // One part after the other: a result is in memory as a whole.
                for part in 0..<Int(parts.count) {
                    _ = try connection.first(
                        "SELECT bytes FROM attachment_parts WHERE position = $1", AttachmentLayout.position(key, part: part)
                    ) { row in row.withBytes(0) { update($0) } }
                }
            }
            try check.tick(.attachments, check.report.attachments, of: total, every: 10)
        }
        check.recordStrays(
            uses: try count(
                "SELECT count(*) FROM attachment_uses u WHERE NOT EXISTS (SELECT 1 FROM attachments a WHERE a.key = u.attachment)"),
            parts: try count(
                "SELECT count(*) FROM attachment_parts p WHERE NOT EXISTS (SELECT 1 FROM attachments a WHERE a.key = p.position >> 20)"),
            aliases: try count(
                """
                SELECT count(*) FROM attachment_aliases l
                WHERE NOT EXISTS (SELECT 1 FROM attachments a WHERE a.key = l.attachment AND a.digest IS NOT NULL)
                """))
    }

    private func nextAttachment(after key: Int64) throws -> (key: Int64, length: Int64, digest: [UInt8], uses: Int64)? {
        try connection.first(
            "SELECT key, length, digest, uses FROM attachments WHERE key > $1 AND digest IS NOT NULL ORDER BY key LIMIT 1", key
        ) { ($0.integer(0), $0.integer(1), $0.bytes(2), $0.integer(3)) }
    }
}
