import Documents
import Storage

extension PostgreSQLSnapshot {
    func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        if digest.algorithm == .sha1 {
            let found = try connection.first("SELECT key, length FROM attachments WHERE digest = $1", digest.bytes) { row in
                AttachmentRecord(key: row.integer(0), digest: digest, length: row.integer(1))
            }
            if let found { return found }
        }
        return try connection.first(
            """
            SELECT key, length, attachments.digest FROM attachment_aliases JOIN attachments ON key = attachment
            WHERE attachment_aliases.digest = $1
            """, digest.description, row: attachmentRecord)
    }

    func attachmentBytes(_ attachment: AttachmentRecord, offset: Int64, count: Int) throws -> [UInt8] {
        guard let range = AttachmentRange(attachment, offset: offset, count: count) else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        try connection.each(
            "SELECT position, bytes FROM attachment_parts WHERE position BETWEEN $1 AND $2 ORDER BY position", range.positions.first,
            range.positions.last
        ) { row in
            row.withBytes(1) { part in bytes.append(contentsOf: part[range.offsets(in: part, at: row.integer(0))]) }
            return true
        }
        guard bytes.count == range.count else {
            throw damaged("attachment \(attachment.digest) has only \(bytes.count) of \(range.count) bytes from \(offset)")
        }
        return bytes
    }

    func uses(_ document: DocumentKey, _ attachment: AttachmentRecord) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM attachment_uses WHERE document = $1 AND attachment = $2", document, attachment.key
        ) { _ in true } ?? false
    }

    func missingAttachments(of document: DocumentKey) throws -> Set<String> {
        Set(try connection.all("SELECT digest FROM missing_attachments WHERE document = $1", document) { $0.text(0) })
    }

    func documentsMissingAttachments(after document: DocumentKey, limit: Int) throws -> [DocumentKey] {
        try connection.all(
            "SELECT DISTINCT document FROM missing_attachments WHERE document > $1 ORDER BY document LIMIT $2", document, limit
        ) { DocumentKey($0.integer(0)) }
    }

    /// The attachment of a row of `key, length, digest`.
    func attachmentRecord(_ row: PostgreSQLRow) throws -> AttachmentRecord {
        guard let digest = AttachmentDigest(.sha1, bytes: row.bytes(2)) else {
            throw damaged("attachment \(row.integer(0)) has a digest of \(row.bytes(2).count) bytes")
        }
        return AttachmentRecord(key: row.integer(0), digest: digest, length: row.integer(1))
    }
}

extension AttachmentParts {
    /// Reads the summary of an attachment's parts.
    init(_ connection: PostgreSQLConnection, _ key: Int64) throws {
        self.init(of: key)
        try connection.each(
            "SELECT position, octet_length(bytes) FROM attachment_parts WHERE position >= $1 AND position < $2 ORDER BY position",
            AttachmentLayout.position(key, part: 0), AttachmentLayout.position(key + 1, part: 0)
        ) { row in
            add(position: row.integer(0), length: row.integer(1))
            return true
        }
    }
}
