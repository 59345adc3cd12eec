package import Documents

/// The attachments that the client may request: those of revisions that were sent to it and that it has not confirmed
/// (docs/protocol/modern-2x.md#getattachment).
///
/// Knowledge of a digest alone gives no access to the bytes.
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

    /// Permits attachments of a document until the `rev` request with this number gets its reply.
    package mutating func grant(_ attachments: [SentAttachment], of document: String, in collection: CollectionHandle, until number: UInt64)
    {
        // Version 2 of the protocol requests attachments by digest alone.
        for attachment in attachments {
            for name in [ExactString(document), nil] {
                let key = Key(collection: collection, document: name, digest: attachment.digest)
                permits[key, default: Permit(attachment: attachment)].count += 1
                keys[number, default: []].append(key)
            }
        }
    }

    /// Revokes the permits of the `rev` request with this number, which got its reply.
    package mutating func release(_ number: UInt64) {
        for key in keys.removeValue(forKey: number) ?? [] {
            permits[key]?.count -= 1
            if permits[key]?.count == 0 { permits[key] = nil }
        }
    }

    /// Returns the attachment if the client has a permit for it.
    ///
    /// - Parameter document: `nil` if the request names no document: then a permit of any document suffices.
    package func attachment(_ digest: AttachmentDigest, of document: String?, in collection: CollectionHandle) -> SentAttachment? {
        guard document != nil else {
            return permits.first { $0.key.collection == collection && $0.key.digest == digest }?.value.attachment
        }
        return permits[Key(collection: collection, document: document.map { ExactString($0) }, digest: digest)]?.attachment
    }
}

/// Identifies one of a session's collections: its index in the client's `getCollections`, or 0 if the client has sent none.
package typealias CollectionHandle = Int

/// An attachment in the form that was announced to a peer.
package struct SentAttachment: Hashable, Sendable {
    /// The digest by which the peer requests the attachment.
    let digest: AttachmentDigest

    /// The stored compressed attachment with this content; `nil` if the store has the attachment in the peer's form.
    package var compressed: AttachmentDigest?
}
