import Documents
import Gateway
import Storage

/// A revision's attachments as peers of 2.x+ are told of them: by the SHA-1 digest of their content.
///
/// Couchbase Lite 2.x+ knows no attachment by the MD5 that CouchDB gave it, and does not decompress those that CouchDB keeps compressed
/// (`encoding: gzip`). Sync Gateway passes such entries on as they are, so that an application finds gzip where its text was.
///
/// Of an attachment whose bytes are not here they are not told: LiteCore gives up a document of which it cannot fetch an attachment.
struct AnnouncedAttachments: Sendable {
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

/// What an attachment that is stored with `encoding: gzip` holds.
struct AttachmentContent: Sendable {
    private static let partSize = 128 << 10

    /// More is not decompressed each time that a revision is sent: the peer gets it as it is stored.
    private static let maximumSize = 256 << 20

    let digest: AttachmentDigest
    let length: Int

    /// `nil` if the bytes are not what the entry says, or too many.
    init?(of entry: AttachmentMetadata, _ record: AttachmentRecord, in snapshot: KeyspaceSnapshot) throws {
        let limit = min(entry.length ?? .max, Self.maximumSize)
        var inflater = try AttachmentInflater()
        var hasher = AttachmentHasher(.sha1)
        var length = 0
        var offset: Int64 = 0
        while !inflater.isFinished {
            if inflater.isHungry {
                let bytes = try snapshot.bytes(of: record, from: offset, count: Self.partSize)
                guard !bytes.isEmpty else { return nil }
                offset += Int64(bytes.count)
                inflater.feed(bytes)
            }
            guard let piece = try? inflater.next() else { return nil }
            length += piece.count
            guard length <= limit else { return nil }
            hasher.update(piece)
        }
        guard !inflater.hasRest, offset == record.length, entry.length ?? length == length else { return nil }
        digest = hasher.finish()
        self.length = length
    }
}
