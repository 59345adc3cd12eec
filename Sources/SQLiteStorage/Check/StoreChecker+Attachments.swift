import Storage

extension StoreChecker {
    mutating func checkAttachments() throws {
        let total = try count("SELECT count(*) FROM attachments WHERE digest IS NOT NULL")
        var after: Int64 = 0
        while let (key, length, digest, uses) = try nextAttachment(after: after) {
            after = key
            let users = try connection.first("SELECT count(*) FROM attachment_uses WHERE attachment = ?1", key) { $0.integer(0) }
            let connection = connection
            try check.checkAttachment(
                key, length: length, digest: digest, uses: (uses, users ?? 0), parts: try AttachmentParts(connection, key)
            ) { update in
                try connection.each(
                    "SELECT bytes FROM attachment_parts WHERE position >= ?1 AND position < ?2 ORDER BY position",
                    AttachmentLayout.position(key, part: 0), AttachmentLayout.position(key + 1, part: 0)
                ) { row in
                    row.withBytes(0) { update($0) }
                    return true
                }
            }
            try check.tick(.attachments, check.report.attachments, of: total, every: 10)
        }
        check.recordStrays(
            uses: try count("SELECT count(*) FROM attachment_uses WHERE attachment NOT IN (SELECT key FROM attachments)"),
            parts: try count("SELECT count(*) FROM attachment_parts WHERE position >> 20 NOT IN (SELECT key FROM attachments)"),
            aliases: try count(
                "SELECT count(*) FROM attachment_aliases WHERE attachment NOT IN (SELECT key FROM attachments WHERE digest IS NOT NULL)"))
    }

    private func nextAttachment(after key: Int64) throws -> (key: Int64, length: Int64, digest: [UInt8], uses: Int64)? {
        try connection.first(
            "SELECT key, length, digest, uses FROM attachments WHERE key > ?1 AND digest IS NOT NULL ORDER BY key LIMIT 1", key
        ) { ($0.integer(0), $0.integer(1), $0.bytes(2), $0.integer(3)) }
    }
}
