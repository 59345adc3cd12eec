import Documents
import Storage

extension PostgreSQLTransaction {
    func insertAttachment(_ bytes: [UInt8], digest: AttachmentDigest) throws -> AttachmentRecord {
        if let existing = try existingAttachment(digest) { return existing }
        let key = try connection.changed(
            "INSERT INTO attachments (digest, length, modified) VALUES ($1, $2, $3) RETURNING key", digest.bytes, Int64(bytes.count), now
        ) { $0.integer(0) }
        guard let key else { throw missing("the new attachment") }
        for (part, start) in stride(from: 0, to: bytes.count, by: AttachmentLayout.partSize).enumerated() {
            try insert(part, of: key, Array(bytes[start..<min(bytes.count, start + AttachmentLayout.partSize)]))
        }
        try resolveMissingUses(key, digest)
        return AttachmentRecord(key: key, digest: digest, length: Int64(bytes.count))
    }

    func beginAttachment() throws -> Int64 {
        let key = try connection.changed("INSERT INTO attachments (length, modified) VALUES (0, $1) RETURNING key", now) { $0.integer(0) }
        guard let key else { throw missing("the new attachment") }
        return key
    }

    func appendAttachment(_ key: Int64, part: Int, _ bytes: [UInt8]) throws {
        try checkUnfinished(key)
        try insert(part, of: key, bytes)
    }

    func finishAttachment(_ key: Int64, digest: AttachmentDigest, length: Int64) throws -> AttachmentRecord {
        try checkUnfinished(key)
        try checkParts(key, length: length)
        if let existing = try existingAttachment(digest) {
            try delete(key)
            return existing
        }
        return try name(key, digest, length: length)
    }

    func abandonAttachment(_ key: Int64) throws {
        try checkUnfinished(key)
        try delete(key)
    }

    func addAlias(_ digest: AttachmentDigest, for attachment: AttachmentRecord) throws {
        guard digest != attachment.digest else { return }
        try connection.run(
            """
            INSERT INTO attachment_aliases (digest, attachment) VALUES ($1, $2)
            ON CONFLICT (digest) DO UPDATE SET attachment = excluded.attachment
            """, digest.description, attachment.key)
        try resolveMissingUses(attachment.key, digest)
    }

    func setAttachments(_ attachments: Set<Int64>, usedBy document: DocumentKey) throws {
        let used = try connection.all("SELECT attachment FROM attachment_uses WHERE document = $1", document) { $0.integer(0) }
        for key in attachments.subtracting(used).sorted() {
            try connection.runOnce(
                otherwise: missing("attachment \(key)"), "UPDATE attachments SET uses = uses + 1 WHERE key = $1 AND digest IS NOT NULL", key
            )
            try connection.run("INSERT INTO attachment_uses (document, attachment) VALUES ($1, $2)", document, key)
        }
        for key in used where !attachments.contains(key) {
            try connection.run("DELETE FROM attachment_uses WHERE document = $1 AND attachment = $2", document, key)
            try connection.run("UPDATE attachments SET uses = uses - 1, modified = $2 WHERE key = $1", key, now)
        }
    }

    func setMissingAttachments(_ digests: Set<String>, of document: DocumentKey) throws {
        let known = try missingAttachments(of: document)
        for digest in digests.subtracting(known).sorted() {
            try connection.run("INSERT INTO missing_attachments (document, digest) VALUES ($1, $2)", document, digest)
        }
        for digest in known.subtracting(digests) {
            try connection.run("DELETE FROM missing_attachments WHERE document = $1 AND digest = $2", document, digest)
        }
    }

    /// Makes documents that reference this digest as missing use the received attachment.
    private func resolveMissingUses(_ key: Int64, _ digest: AttachmentDigest) throws {
        let name = digest.description
        let documents = try connection.all("SELECT document FROM missing_attachments WHERE digest = $1", name) { $0.integer(0) }
        guard !documents.isEmpty else { return }
        for document in documents {
            let count = try connection.change(
                "INSERT INTO attachment_uses (document, attachment) VALUES ($1, $2) ON CONFLICT DO NOTHING", document, key)
            guard count == 1 else { continue }
            try connection.run("UPDATE attachments SET uses = uses + 1 WHERE key = $1", key)
        }
        try connection.run("DELETE FROM missing_attachments WHERE digest = $1", name)
    }

    func collectAttachments(olderThan age: Int64, limit: Int) throws -> Int {
        let unused = try connection.all(
            """
            SELECT key, length FROM attachments
            WHERE uses = 0 AND modified <= $1 AND digest IS NOT NULL ORDER BY modified LIMIT $2
            """, now - age, max(0, limit)
        ) { (key: $0.integer(0), length: $0.integer(1)) }
        var count = 0
        var bytes: Int64 = 0
        for attachment in unused where bytes < StoreLimits.collectedBytes {
            try delete(attachment.key)
            count += 1
            bytes += attachment.length
        }
        return count
    }

    /// The attachment with this digest. If it is unused, its age is reset, so that it is not collected soon.
    private func existingAttachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        guard digest.algorithm == .sha1 else { throw invalid("attachments are named by SHA-1; \(digest) can be an alias only") }
        guard let existing = try attachment(digest) else { return nil }
        try connection.run("UPDATE attachments SET modified = $2 WHERE key = $1 AND uses = 0", existing.key, now)
        return existing
    }

    private func insert(_ part: Int, of key: Int64, _ bytes: [UInt8]) throws {
        guard 0..<AttachmentLayout.maximumParts ~= part, 1...AttachmentLayout.partSize ~= bytes.count else {
            throw invalid("part \(part) of an attachment with \(bytes.count) bytes is out of bounds")
        }
        try connection.run(
            """
            INSERT INTO attachment_parts (position, bytes) VALUES ($1, $2)
            ON CONFLICT (position) DO UPDATE SET bytes = excluded.bytes
            """, AttachmentLayout.position(key, part: part), bytes)
    }

    private func name(_ key: Int64, _ digest: AttachmentDigest, length: Int64) throws -> AttachmentRecord {
        try connection.run(
            "UPDATE attachments SET digest = $2, length = $3, modified = $4 WHERE key = $1", key, digest.bytes, length, now)
        try resolveMissingUses(key, digest)
        return AttachmentRecord(key: key, digest: digest, length: length)
    }

    /// Requires that an attachment is not finished, and records that it is still being received.
    private func checkUnfinished(_ key: Int64) throws {
        try connection.runOnce(
            otherwise: missing("the unfinished attachment \(key)"),
            "UPDATE attachments SET modified = $2 WHERE key = $1 AND digest IS NULL",
            key, now)
    }

    /// Checks that the stored parts are complete and have this total length.
    private func checkParts(_ key: Int64, length: Int64) throws {
        let found = try AttachmentParts(connection, key)
        guard found.isComplete, found.length == length else {
            throw invalid("an attachment of \(length) bytes has \(found.count) parts with \(found.length) bytes")
        }
    }

    private func delete(_ key: Int64) throws {
        try connection.run(
            "DELETE FROM attachment_parts WHERE position >= $1 AND position < $2",
            AttachmentLayout.position(key, part: 0), AttachmentLayout.position(key + 1, part: 0))
        try connection.run("DELETE FROM attachment_aliases WHERE attachment = $1", key)
        try connection.run("DELETE FROM attachments WHERE key = $1", key)
    }
}
