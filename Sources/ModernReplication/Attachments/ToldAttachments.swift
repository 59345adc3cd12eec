import Documents
import Gateway
import Storage

/// A revision's attachments as peers of 2.x+ are told of them: by the SHA-1 digest of their content.
///
/// Couchbase Lite 2.x+ knows no attachment by the MD5 that CouchDB gave it, and does not decompress those that CouchDB keeps compressed
/// (`encoding: gzip`). Sync Gateway passes such entries on as they are, so that an application finds gzip where its text was.
struct ToldAttachments: Sendable {
    /// The entries, in the order of those that are stored.
    private(set) var set: AttachmentSet
    private(set) var sent: [SentAttachment] = []

    init(_ stored: AttachmentSet = AttachmentSet(), in snapshot: KeyspaceSnapshot) throws {
        set = stored
        for (index, entry) in stored.entries.enumerated() {
            guard let digest = entry.digest else { continue }
            let isCompressed = entry.encoding == "gzip"
            guard isCompressed || digest.algorithm != .sha1, let record = try snapshot.attachment(digest) else {
                sent.append(SentAttachment(digest: digest))
                continue
            }
            if isCompressed, let content = try AttachmentContent(of: entry, record, in: snapshot) {
                set.entries[index].digest = content.digest
                set.entries[index].length = content.length
                set.entries[index].encoding = nil
                set.entries[index].encodedLength = nil
                sent.append(SentAttachment(digest: content.digest, compressed: record.digest))
            } else {
                set.entries[index].digest = record.digest
                sent.append(SentAttachment(digest: record.digest))
            }
        }
    }
}
