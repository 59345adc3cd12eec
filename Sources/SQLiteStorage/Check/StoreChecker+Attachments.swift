import Documents
import Storage

extension StoreChecker {
    /// Checks the parts, digest and use count of every attachment. Unfinished attachments are skipped.
    mutating func checkAttachments() throws {
        let total = try count("SELECT count(*) FROM attachments WHERE digest IS NOT NULL")
        var after: Int64 = 0
        while let (key, length, digest, uses) = try nextAttachment(after: after) {
            after = key
            report.attachments += 1
            try checkBytes(key, length: length, digest: digest)
            let users = try connection.first("SELECT count(*) FROM attachment_uses WHERE attachment = ?1", key) { $0.integer(0) }
            if users != uses { record(.attachment, "attachment \(key) counts \(uses) documents, but \(users ?? 0) use it") }
            try tick(.attachments, report.attachments, of: total, every: 10)
        }
        let strayUses = try count("SELECT count(*) FROM attachment_uses WHERE attachment NOT IN (SELECT key FROM attachments)")
        if strayUses > 0 { record(.attachment, "\(strayUses) uses refer to attachments that do not exist") }
        let strayParts = try count(
            "SELECT count(*) FROM attachment_parts WHERE position >> 20 NOT IN (SELECT key FROM attachments)")
        if strayParts > 0 { record(.attachment, "\(strayParts) parts belong to attachments that do not exist") }
        let strayAliases = try count(
            "SELECT count(*) FROM attachment_aliases WHERE attachment NOT IN (SELECT key FROM attachments WHERE digest IS NOT NULL)")
        if strayAliases > 0 { record(.attachment, "\(strayAliases) aliases refer to attachments that do not exist") }
    }

    /// The attachment digests in a revision's metadata.
    mutating func checkNames(_ attachments: [UInt8]?, _ name: String) -> Set<AttachmentDigest> {
        guard let attachments else { return [] }
        do {
            return Set(try AttachmentSet(attachments).entries.compactMap(\.digest))
        } catch {
            record(.attachment, "\(name) has attachments that cannot be read: \(error)")
            return []
        }
    }

    /// Checks that every attachment that a stored revision references is either present and recorded as used by the document, or recorded as
    /// missing.
    mutating func checkUses(of document: DocumentKey, _ name: String, _ digests: Set<AttachmentDigest>) throws {
        let missing = try snapshot.missingAttachments(of: document)
        if missing.contains("") { report.missingAttachments += 1 }
        for digest in digests {
            guard let attachment = try snapshot.attachment(digest) else {
                guard !missing.contains(digest.description) else {
                    report.missingAttachments += 1
                    continue
                }
                record(.attachment, "\(name) references the attachment \(digest), which does not exist")
                continue
            }
            if missing.contains(digest.description) {
                record(.attachment, "\(name) records the attachment \(digest) as missing, but it exists")
            }
            if try !snapshot.uses(document, attachment) {
                record(.attachment, "\(name) references the attachment \(digest), but is not recorded as its user")
            }
        }
    }

    private func nextAttachment(after key: Int64) throws -> (key: Int64, length: Int64, digest: [UInt8], uses: Int64)? {
        try connection.first(
            "SELECT key, length, digest, uses FROM attachments WHERE key > ?1 AND digest IS NOT NULL ORDER BY key LIMIT 1", key
        ) { ($0.integer(0), $0.integer(1), $0.bytes(2), $0.integer(3)) }
    }

    private mutating func checkBytes(_ key: Int64, length: Int64, digest: [UInt8]) throws {
        let parts = try AttachmentParts(connection, key)
        guard parts.isComplete, parts.length == length else {
            return record(.attachment, "attachment \(key) should have \(length) bytes, but has \(parts.count) parts with \(parts.length)")
        }
        var hasher = AttachmentHasher(.sha1)
        try connection.each(
            "SELECT bytes FROM attachment_parts WHERE position >= ?1 AND position < ?2 ORDER BY position",
            AttachmentLayout.position(key, part: 0), AttachmentLayout.position(key + 1, part: 0)
        ) { row in
            row.withBytes(0) { hasher.update($0) }
            return true
        }
        report.attachmentBytes += length
        let found = hasher.finish()
        if found.bytes != digest { record(.attachment, "attachment \(key) has the digest \(found), which differs from the recorded one") }
    }
}
