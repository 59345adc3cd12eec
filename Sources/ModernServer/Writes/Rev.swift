import Access
import BLIP
import Documents
import Gateway
import ModernProtocol

/// `rev`: one pushed revision of a document (docs/protocol/modern-2x.md#rev).
struct Rev {
    let write: RevisionWrite

    /// - Parameter body: The whole body if the request's own body is a delta.
    init(_ request: BLIPMessage, _ origin: RevisionOrigin, body: [UInt8]? = nil, maxSize: Int) throws {
        let properties = request.properties
        guard let id = properties["id"], !id.isEmpty, let revision = properties["rev"], !revision.isEmpty else {
            throw BLIPRequestError(.badRequest, "rev needs the properties id and rev")
        }
        // This includes design documents: on 403 the client would retry.
        guard id.utf8.first != UInt8(ascii: "_") else {
            throw BLIPRequestError(.badRequest, "Invalid doc ID: \"\(id.prefix(260))\" begins with an underscore")
        }
        let kind = try origin.kind(of: revision, properties)
        let body = body ?? (request.body.isEmpty ? Array("{}".utf8) : request.body)
        let document = try ParsedDocument(body, policy: .modern, limits: DocumentLimits(maximumSize: maxSize))
        // An empty list of attachments is the same as no list.
        let attachments = try document.attachments.map { try AttachmentSet($0) }
        write = RevisionWrite(
            id: id, kind: kind, isDeleted: properties.isOfTombstone, body: document.body,
            attachments: attachments?.entries.isEmpty == true ? nil : attachments,
            expiry: try document.expiry.flatMap { try DocumentExpiry(json: $0) })
    }
}

extension ModernSession {
    func rev(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        if let delta = try IncomingDelta(request) {
            guard takesDeltas(collection.keyspace) else {
                throw BLIPRequestError(.badRequest, "Deltas are disabled for this peer")
            }
            return enqueue(delta, in: handle, collection)
        }
        let revision = try incoming(request, nil, collection)
        if revision.write.attachments == nil {
            // The job starts once all received messages have been processed, so it writes the revisions among them together.
            if enqueue(revision, in: collection) { jobs.append { await $0.write(handle) } }
        } else {
            try beginAttachments(of: revision)
            let keyspace = collection.keyspace
            jobs.append { await $0.completeAndWrite(revision, in: handle, keyspace) }
        }
    }

    func takesDeltas(_ keyspace: Keyspace) -> Bool {
        keyspace.database.configuration.deltaSync
    }

    /// The client's copy of a collection, if the client has versions and has sent its UUID.
    func copy(of collection: SessionCollection) -> ClientDatabase? {
        guard subprotocol.hasVersions, let clientUUID else { return nil }
        return ClientDatabase(client: clientUUID, keyspace: collection.keyspace)
    }

    private func origin(in collection: SessionCollection) -> RevisionOrigin {
        guard subprotocol.hasVersions else { return .trees }
        return .versions(copy(of: collection), isAdministrator: collection.keyspace.principal.isAdministrator)
    }

    /// - Parameter body: The whole body if the request's own body is a delta.
    func incoming(_ request: BLIPMessage, _ body: [UInt8]?, _ collection: SessionCollection) throws -> IncomingRevision {
        let maxSize = collection.keyspace.database.configuration.limits.documentSize
        let write = try Rev(request, origin(in: collection), body: body, maxSize: maxSize).write
        return IncomingRevision(number: request.number, write: write, size: body?.count ?? request.body.count)
    }

    /// `norev`: an announced revision will not be sent (docs/protocol/modern-2x.md#norev). Nothing waits for it.
    func norev(_ request: BLIPMessage) throws {
        _ = try collection(of: request)
        reply(.reply(to: request.number))
    }
}
