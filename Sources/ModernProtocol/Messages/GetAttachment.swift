package import BLIP
package import Documents
package import Gateway

/// `getAttachment` or `proveAttachment` from a client that was sent a revision (docs/protocol/modern-2x.md#getattachment).
package struct GetAttachment: Sendable {
    package let number: UInt64
    package let digest: AttachmentDigest

    /// The document; `nil` if the protocol's version or the message omits it.
    package let document: String?
    let compress: Bool

    /// The stored compressed attachment with this content; `nil` if the store has the attachment in the peer's form.
    package var compressed: AttachmentDigest?

    package init(_ request: BLIPMessage, _ subprotocol: Subprotocol) throws(BLIPRequestError) {
        let profile = request.profile ?? ""
        guard let text = request.properties["digest"] else {
            throw BLIPRequestError(.badRequest, "\(profile) needs the property digest")
        }
        guard let digest = AttachmentDigest(text) else {
            throw BLIPRequestError(.badRequest, "\(profile): \(text.prefix(100)) is not the digest of an attachment")
        }
        document = subprotocol.namesDocumentOfAttachment ? request.properties["docID"] : nil
        // `proveAttachment` carries the digest alone (docs/protocol/modern-2x.md#proveattachment).
        if subprotocol.namesDocumentOfAttachment, document == nil, profile == Profile.getAttachment.rawValue {
            throw BLIPRequestError(.badRequest, "\(profile) needs the property docID")
        }
        number = request.number
        self.digest = digest
        compress = request.properties.bool("compress")
    }

    /// A reader for the attachment's bytes in the peer's form.
    /// - Throws: ``missing`` if the attachment is not stored.
    package func reader(in keyspace: Keyspace) async throws -> sending AttachmentReader {
        guard let found = try await keyspace.attachment(compressed ?? digest) else { throw missing }
        return try AttachmentReader(found, in: keyspace, decompresses: compressed != nil)
    }

    /// The error for an attachment that is not stored.
    package var missing: BLIPRequestError {
        BLIPRequestError(.notFound, "There is no attachment \(digest)")
    }
}
