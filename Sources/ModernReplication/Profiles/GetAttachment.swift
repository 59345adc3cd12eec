import BLIP
import Documents
import Gateway

/// `getAttachment` from a client that was sent a revision (docs/protocol/modern-2x.md#getattachment).
struct GetAttachment: Sendable {
    let number: UInt64
    let digest: AttachmentDigest

    /// The document; `nil` where the protocol's version, or the message, does not name it.
    let document: String?
    let compress: Bool

    /// The compressed attachment whose content it is; `nil` if it is stored as the peer knows it.
    var compressed: AttachmentDigest?

    init(_ request: BLIPMessage, _ subprotocol: Subprotocol) throws(RequestError) {
        let profile = request.profile ?? ""
        guard let text = request.properties["digest"] else {
            throw RequestError(.badRequest, "\(profile) needs the property digest")
        }
        guard let digest = AttachmentDigest(text) else {
            throw RequestError(.badRequest, "\(profile): \(text.prefix(100)) is not the digest of an attachment")
        }
        document = subprotocol.namesDocumentOfAttachment ? request.properties["docID"] : nil
        // A proof is asked for by the digest alone (docs/protocol/modern-2x.md#proveattachment).
        if subprotocol.namesDocumentOfAttachment, document == nil, profile == Profile.getAttachment.rawValue {
            throw RequestError(.badRequest, "\(profile) needs the property docID")
        }
        number = request.number
        self.digest = digest
        compress = request.properties.bool("compress")
    }

    /// Its bytes as the peer knows them.
    ///
    /// - Throws: ``missing`` if they are not here.
    func reader(in keyspace: Keyspace) async throws -> sending AttachmentReader {
        guard let found = try await keyspace.attachment(compressed ?? digest) else { throw missing }
        return try AttachmentReader(found, in: keyspace, decompresses: compressed != nil)
    }

    /// Says that there is no such attachment.
    var missing: RequestError {
        RequestError(.notFound, "There is no attachment \(digest)")
    }
}

extension ModernSession {
    func getAttachment(_ request: BLIPMessage) throws {
        let (wanted, keyspace) = try permittedAttachment(request)
        guard uploads.waiting < limits.attachmentRequests else {
            throw RequestError(.unavailable, "Too many attachments are being asked for at a time")
        }
        jobs.append { await $0.upload(wanted, keyspace) }
    }

    /// The attachment that a request is about, if the client may have it.
    func permittedAttachment(_ request: BLIPMessage) throws(RequestError) -> (GetAttachment, Keyspace) {
        let (handle, collection) = try collection(of: request)
        var wanted = try GetAttachment(request, subprotocol)
        guard let attachment = permits.attachment(wanted.digest, of: wanted.document, in: handle) else {
            throw RequestError(.forbidden, "Attachment's doc not being synced")
        }
        wanted.compressed = attachment.compressed
        return (wanted, collection.keyspace)
    }
}
