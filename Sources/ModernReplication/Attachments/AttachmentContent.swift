import Documents
import Gateway
import Storage

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
