import Documents
import Storage

extension SQLiteSnapshot {
    func attachment(_ digest: AttachmentDigest) throws -> AttachmentRecord? {
        if digest.algorithm == .sha1 {
            let found = try connection.first("SELECT key, length FROM attachments WHERE digest = ?1", digest.bytes) { row in
                AttachmentRecord(key: row.integer(0), digest: digest, length: row.integer(1))
            }
            if let found { return found }
        }
        return try connection.first(
            """
            SELECT key, length, attachments.digest FROM attachment_aliases JOIN attachments ON key = attachment
            WHERE attachment_aliases.digest = ?1
            """, digest.description, row: attachmentRecord)
    }

    func attachmentBytes(_ attachment: AttachmentRecord, offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0, count > 0, offset < attachment.length else { return [] }
        let end = offset + min(Int64(count), attachment.length - offset)
        let size = Int64(AttachmentLayout.partSize)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(end - offset))
        try connection.each(
            "SELECT position, bytes FROM attachment_parts WHERE position BETWEEN ?1 AND ?2 ORDER BY position",
            AttachmentLayout.position(attachment.key, part: Int(offset / size)),
            AttachmentLayout.position(attachment.key, part: Int((end - 1) / size))
        ) { row in
            let start = (row.integer(0) - AttachmentLayout.position(attachment.key, part: 0)) * size
            row.withBytes(1) { part in
                let lower = max(0, min(Int64(part.count), offset - start))
                let upper = max(lower, min(Int64(part.count), end - start))
                bytes.append(contentsOf: part[Int(lower)..<Int(upper)])
            }
            return true
        }
        guard bytes.count == Int(end - offset) else {
            throw damaged("attachment \(attachment.digest) has only \(bytes.count) of \(end - offset) bytes from \(offset)")
        }
        return bytes
    }

    func uses(_ document: DocumentKey, _ attachment: AttachmentRecord) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM attachment_uses WHERE document = ?1 AND attachment = ?2", document, attachment.key
        ) { _ in true } ?? false
    }

    func missingAttachments(of document: DocumentKey) throws -> Set<String> {
        Set(try connection.all("SELECT digest FROM missing_attachments WHERE document = ?1", document) { $0.text(0) })
    }

    func documentsMissingAttachments(after document: DocumentKey, limit: Int) throws -> [DocumentKey] {
        try connection.all(
            "SELECT DISTINCT document FROM missing_attachments WHERE document > ?1 ORDER BY document LIMIT ?2", document, limit
        ) { DocumentKey($0.integer(0)) }
    }

    /// The attachment of a row of `key, length, digest`.
    func attachmentRecord(_ row: Row) throws -> AttachmentRecord {
        guard let digest = AttachmentDigest(.sha1, bytes: row.bytes(2)) else {
            throw damaged("attachment \(row.integer(0)) has a digest of \(row.bytes(2).count) bytes")
        }
        return AttachmentRecord(key: row.integer(0), digest: digest, length: row.integer(1))
    }
}

/// The layout of attachments in the database: parts of fixed size, so that no more than one part is in memory.
enum AttachmentLayout {
    /// The number of bits of a part's number in its position.
    static let partBits: Int64 = 20

    /// The size of every part except for the last, in bytes.
    static var partSize: Int { AttachmentRecord.partSize }

    static var maximumParts: Int { 1 << partBits }

    /// The position of a part.
    static func position(_ key: Int64, part: Int) -> Int64 { key << partBits + Int64(part) }
}

/// A summary of an attachment's parts, without their bytes.
struct AttachmentParts {
    let count: Int64
    let length: Int64

    /// Whether the parts have consecutive numbers and all except for the last are full.
    let isComplete: Bool

    init(_ connection: Connection, _ key: Int64) throws {
        let first = AttachmentLayout.position(key, part: 0)
        let size = Int64(AttachmentLayout.partSize)
        var count: Int64 = 0
        var length: Int64 = 0
        var isComplete = true
        try connection.each(
            "SELECT position, length(bytes) FROM attachment_parts WHERE position >= ?1 AND position < ?2 ORDER BY position",
            first, AttachmentLayout.position(key + 1, part: 0)
        ) { row in
            if row.integer(0) != first + count || length != count * size { isComplete = false }
            count += 1
            length += row.integer(1)
            return true
        }
        self.count = count
        self.length = length
        self.isComplete = isComplete
    }
}
