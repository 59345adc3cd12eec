import Documents
import Gateway
import Storage

/// A revision's attachments as peers of 2.x+ are told of them: by the SHA-1 digest of their content.
///
/// Couchbase Lite 2.x+ knows no attachment by the MD5 that CouchDB gave it, and does not decompress those that CouchDB keeps compressed
/// (`encoding: gzip`). Sync Gateway passes such entries on as they are, so that an application finds gzip where its text was.
///
/// Of an attachment whose bytes are not here they are not told: LiteCore gives up a document of which it cannot fetch an attachment.
struct ToldAttachments: Sendable {
    /// The entries, in the order of ``stored``.
    private(set) var set = AttachmentSet()

    /// The same as they are stored.
    private(set) var stored: [AttachmentMetadata] = []
    private(set) var sent: [SentAttachment] = []

    init(_ attachments: AttachmentSet = AttachmentSet(), in snapshot: KeyspaceSnapshot) throws {
        for entry in attachments.entries {
            guard let digest = entry.digest, let record = try snapshot.attachment(digest) else { continue }
            stored.append(entry)
            var told = entry
            if entry.encoding == "gzip", let content = try AttachmentContent(of: entry, record, in: snapshot) {
                told.digest = content.digest
                told.length = content.length
                told.encoding = nil
                told.encodedLength = nil
                sent.append(SentAttachment(digest: content.digest, compressed: record.digest))
            } else {
                if entry.encoding == "gzip" || digest.algorithm != .sha1 { told.digest = record.digest }
                sent.append(SentAttachment(digest: told.digest ?? record.digest))
            }
            set.entries.append(told)
        }
    }
}
