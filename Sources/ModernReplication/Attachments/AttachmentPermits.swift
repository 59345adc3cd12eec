import Documents

/// Which attachments the client may ask for: those of revisions that were sent to it and that it has not answered (protocol reference 6.4).
///
/// Whoever knows a digest from somewhere does not get the bytes for it.
struct AttachmentPermits {
    private struct Key: Hashable {
        let collection: CollectionHandle
        let document: ExactString?
        let digest: AttachmentDigest
    }

    private var counts: [Key: Int] = [:]
    private var keys: [UInt64: [Key]] = [:]

    /// Allows attachments of a document until the `rev` request with this number is answered.
    mutating func grant(_ digests: [AttachmentDigest], of document: String, in collection: CollectionHandle, until number: UInt64) {
        // Version 2 of the protocol asks by digest alone.
        let granted = digests.flatMap { digest in
            [ExactString(document), nil].map { Key(collection: collection, document: $0, digest: digest) }
        }
        for key in granted {
            counts[key, default: 0] += 1
        }
        keys[number, default: []] += granted
    }

    /// The `rev` request with this number has been answered.
    mutating func release(_ number: UInt64) {
        for key in keys.removeValue(forKey: number) ?? [] {
            let count = (counts[key] ?? 1) - 1
            counts[key] = count > 0 ? count : nil
        }
    }

    /// - Parameter document: `nil` where the protocol's version does not name it.
    func allows(_ digest: AttachmentDigest, of document: String?, in collection: CollectionHandle) -> Bool {
        counts[Key(collection: collection, document: document.map { ExactString($0) }, digest: digest)] != nil
    }
}
