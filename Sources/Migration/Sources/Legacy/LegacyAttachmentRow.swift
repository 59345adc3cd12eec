import Documents
import Storage

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
