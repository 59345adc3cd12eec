package import Documents

/// Which attachments the client may ask for: those of revisions that were sent to it and that it has not answered
/// (docs/protocol/modern-2x.md#getattachment).
///
/// Whoever knows a digest from somewhere does not get the bytes for it.
package struct AttachmentPermits {
    private struct Key: Hashable {
        let collection: CollectionHandle
        let document: ExactString?
        let digest: AttachmentDigest
    }

    private struct Permit {
        var count = 0
        var attachment: SentAttachment
    }

    private var permits: [Key: Permit] = [:]
    private var keys: [UInt64: [Key]] = [:]

    package init() {}

    /// Allows attachments of a document until the `rev` request with this number is answered.
    package mutating func grant(_ attachments: [SentAttachment], of document: String, in collection: CollectionHandle, until number: UInt64)
    {
        // Version 2 of the protocol asks by digest alone.
        for attachment in attachments {
            for name in [ExactString(document), nil] {
                let key = Key(collection: collection, document: name, digest: attachment.digest)
                permits[key, default: Permit(attachment: attachment)].count += 1
                keys[number, default: []].append(key)
            }
        }
    }

    /// The `rev` request with this number has been answered.
    package mutating func release(_ number: UInt64) {
        for key in keys.removeValue(forKey: number) ?? [] {
            permits[key]?.count -= 1
            if permits[key]?.count == 0 { permits[key] = nil }
        }
    }

    /// The attachment, if the client may ask for it.
    ///
    /// - Parameter document: `nil` where it is not named: then any document's will do.
    package func attachment(_ digest: AttachmentDigest, of document: String?, in collection: CollectionHandle) -> SentAttachment? {
        guard document != nil else {
            return permits.first { $0.key.collection == collection && $0.key.digest == digest }?.value.attachment
        }
        return permits[Key(collection: collection, document: document.map { ExactString($0) }, digest: digest)]?.attachment
    }
}

/// Names one of a session's collections: its place in the client's `getCollections`, or 0 where the client has asked for none.
package typealias CollectionHandle = Int

/// An attachment as a peer was told of it.
package struct SentAttachment: Hashable, Sendable {
    /// By which the peer asks for it.
    let digest: AttachmentDigest

    /// The compressed attachment whose content it is; `nil` if it is stored as the peer knows it.
    package var compressed: AttachmentDigest?
}
