import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol
import Storage
import Telemetry

extension ModernSession {
    /// Counts a pushed revision that waits for attachments from the client; ``completeAndWrite(_:in:_:)`` fetches them.
    ///
    /// - Throws: `unavailable` if too many revisions wait for attachments; the client sends this revision again later.
    func beginAttachments(of revision: IncomingRevision) throws(BLIPRequestError) {
        guard revision.write.attachments?.entries.count ?? 0 <= limits.attachmentsOfRevision else {
            throw BLIPRequestError(.tooLarge, "The revision has more than \(limits.attachmentsOfRevision) attachments")
        }
        guard load.revisionsAwaitingAttachments < limits.revisionsAwaitingAttachments,
            load.bytesAwaitingAttachments + revision.size <= limits.bytesAwaitingAttachments
        else {
            throw BLIPRequestError(.unavailable, "Too many revisions of this client wait for attachments; send the revision again later")
        }
        load.revisionsAwaitingAttachments += 1
        load.bytesAwaitingAttachments += revision.size
    }

    /// Fetches a revision's attachments, then writes the revision.
    func completeAndWrite(_ revision: IncomingRevision, in handle: CollectionHandle, _ keyspace: Keyspace) async {
        var complete = revision
        do {
            complete.write = try await fetch(revision.write, in: handle, keyspace)
        } catch {
            refuse(revision.number, error)
            return release(revision)
        }
        release(revision)
        guard let collection = collections[handle], !isEnded else { return }
        if enqueue(complete, in: collection) { await write(handle) }
    }

    private func release(_ revision: IncomingRevision) {
        load.revisionsAwaitingAttachments -= 1
        load.bytesAwaitingAttachments -= revision.size
    }

    /// Fetches the missing attachments of a revision, and requires the client's proof for the stored ones.
    private func fetch(_ write: RevisionWrite, in handle: CollectionHandle, _ keyspace: Keyspace) async throws -> RevisionWrite {
        await downloads.acquire()
        defer { downloads.release() }
        let plan = try await keyspace.read { try AttachmentPlan(write, in: $0) }
        let properties = collections[handle]?.properties() ?? BLIPProperties()
        for task in plan.tasks {
            if let stored = task.stored, try await prove(task, stored, of: write.id, properties, keyspace) { continue }
            try await download(task, of: write.id, properties, keyspace)
        }
        return plan.write
    }

    /// Requests the client's proof that it has an attachment whose bytes are stored here.
    ///
    /// - Returns: False if the client cannot prove it or does not support proofs, and has to send the bytes.
    /// - Throws: `forbidden` if the proof is wrong.
    private func prove(
        _ task: AttachmentPlan.Task, _ stored: AttachmentRecord, of id: String, _ properties: BLIPProperties, _ keyspace: Keyspace
    ) async throws -> Bool {
        let proof = AttachmentProof()
        let inbox = ReplyInbox()
        let properties = self.properties(of: task, id, properties)
        guard send(.request("proveAttachment", properties: properties, body: proof.nonce), awaiting: .inbox(inbox)) != nil else {
            return false
        }
        guard case .reply(let reply) = try await inbox.next() else { return false }
        guard reply.type == .reply else { return false }
        guard
            String(decoding: reply.body, as: UTF8.self)
                == (try await proof.answer(for: AttachmentReader(stored, in: keyspace, decompresses: false)))
        else {
            throw BLIPRequestError(.forbidden, "Incorrect proof for attachment \(task.digest)")
        }
        return true
    }

    func getAttachment(_ request: BLIPMessage) throws {
        let (wanted, keyspace) = try permittedAttachment(request)
        guard uploads.waiting < limits.attachmentRequests else {
            throw BLIPRequestError(.unavailable, "Too many attachments are requested at a time")
        }
        jobs.append { session in
            await session.upload(wanted, keyspace)
            // The reply is sent in parts, beside `reply`.
            session.spans.removeValue(forKey: wanted.number)?.end()
        }
    }

    /// The requested attachment, if the client has a permit for it.
    func permittedAttachment(_ request: BLIPMessage) throws(BLIPRequestError) -> (GetAttachment, Keyspace) {
        let (handle, collection) = try collection(of: request)
        var wanted = try GetAttachment(request, subprotocol)
        guard let attachment = permits.attachment(wanted.digest, of: wanted.document, in: handle) else {
            throw BLIPRequestError(.forbidden, "Attachment's doc not being synced")
        }
        wanted.compressed = attachment.compressed
        return (wanted, collection.keyspace)
    }

    /// `proveAttachment` from a client that was sent a revision and already has the attachment; such a client is another gateway
    /// (docs/protocol/modern-2x.md#proveattachment).
    func proveAttachment(_ request: BLIPMessage) throws {
        let (wanted, keyspace) = try permittedAttachment(request)
        let proof = try AttachmentProof(nonce: request.body)
        answer(request) { _ in
            .reply(to: wanted.number, body: Array(try await proof.answer(for: wanted.reader(in: keyspace)).utf8))
        }
    }
}
