import Documents
import Gateway
import Storage

/// A revision's attachments in the form that 2.x+ peers receive: by the SHA-1 digest of their content.
///
/// Couchbase Lite 2.x+ does not know attachments by CouchDB's MD5 digest, and does not decompress attachments that CouchDB stores
/// compressed (`encoding: gzip`). Sync Gateway passes such entries on unchanged, so that an application reads gzip data instead of its
/// text.
///
/// Attachments whose bytes are not stored are omitted: LiteCore gives up on a document if it cannot fetch an attachment.
struct AnnouncedAttachments: Sendable {
    /// The announced entries, in the order of ``stored``.
    private(set) var set = AttachmentSet()

    /// The same entries in their stored form.
    private(set) var stored: [AttachmentMetadata] = []
    private(set) var sent: [SentAttachment] = []

    init(_ attachments: AttachmentSet = AttachmentSet(), in snapshot: KeyspaceSnapshot) throws {
        for entry in attachments.entries {
            guard let digest = entry.digest, let record = try snapshot.attachment(digest) else { continue }
            stored.append(entry)
            var announced = entry
            if entry.encoding == "gzip", let content = try AttachmentContent(of: entry, record, in: snapshot) {
                announced.digest = content.digest
                announced.length = content.length
                announced.encoding = nil
                announced.encodedLength = nil
                sent.append(SentAttachment(digest: content.digest, compressed: record.digest))
            } else {
                if entry.encoding == "gzip" || digest.algorithm != .sha1 { announced.digest = record.digest }
                sent.append(SentAttachment(digest: announced.digest ?? record.digest))
            }
            set.entries.append(announced)
        }
    }
}

/// The content of an attachment that is stored with `encoding: gzip`.
struct AttachmentContent: Sendable {
    private static let partSize = 128 << 10

    /// The content is decompressed at each sending of the revision, so a larger attachment is sent in its stored form.
    private static let maximumSize = 256 << 20

    let digest: AttachmentDigest
    let length: Int

    /// `nil` if the bytes do not match the entry, or exceed the limit.
    init?(of entry: AttachmentMetadata, _ record: AttachmentRecord, in snapshot: KeyspaceSnapshot) throws {
        let limit = min(entry.length ?? .max, Self.maximumSize)
        var inflater = try AttachmentInflater()
        var hasher = AttachmentHasher(.sha1)
        var length = 0
        var offset: Int64 = 0
        while !inflater.isFinished {
            if inflater.needsInput {
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
        guard !inflater.hasTrailingInput, offset == record.length, entry.length ?? length == length else { return nil }
        digest = hasher.finish()
        self.length = length
    }
}
