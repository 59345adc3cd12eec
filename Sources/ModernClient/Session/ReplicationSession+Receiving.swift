import BLIP
import Coordination
import Gateway
import ModernProtocol

extension ReplicationSession {
    func finish(by end: ConnectionEnd) {
        switch end {
        case .peer: finish(.closedByPeer)
        case .lost(let error): finish(.lost("\(error)"))
        case .violation(let error): finish(.violation(error))
        }
    }

    func receive(_ event: BLIPEvent) {
        switch event {
        case .request(let request):
            do {
                try route(request)
            } catch {
                refuse(request.number, error)
            }
        case .reply(let reply):
            guard let awaited = awaited.removeValue(forKey: reply.number) else { return }
            deliver(reply, event, awaited)
        case .replyPart(let part):
            guard case .inbox(let inbox)? = part.isLast ? awaited.removeValue(forKey: part.number) : awaited[part.number] else { return }
            inbox.append(event)
        }
    }

    private func deliver(_ reply: BLIPMessage, _ event: BLIPEvent, _ awaited: OutstandingRequest) {
        do {
            switch awaited {
            case .proposals(let changes, let index): try receiveAnswer(reply, to: changes, of: collections[index])
            case .revision(let change, let index, let size):
                receiveReply(reply, to: change, size: size, of: collections[index])
            case .checkpoint(let index):
                collections[index].serverRevision = try GetCheckpoint.found(in: reply)?.revision
            case .subscription:
                if reply.type == .error { throw ReplicatorError(reply, to: "subChanges") }
            case .inbox(let inbox): inbox.append(event)
            }
        } catch {
            finish(.failed(ReplicatorError(local: error)))
        }
    }

    /// Routes a request of the server.
    private func route(_ request: BLIPMessage) throws {
        let collection = try collection(of: request)
        switch request.profile {
        case "changes": try receiveChanges(request, collection)
        case "rev": receiveRevision(request, collection)
        case "norev": receiveNoRevision(request, collection)
        case "getAttachment":
            guard uploads.waiting < limits.attachmentRequests else {
                throw BLIPRequestError(.unavailable, "Too many attachments are requested at a time")
            }
            let wanted = try permittedAttachment(request, collection)
            let keyspace = collection.keyspace
            jobs.append { await $0.upload(wanted, keyspace) }
        case "proveAttachment":
            let wanted = try permittedAttachment(request, collection)
            let keyspace = collection.keyspace
            let proof = try AttachmentProof(nonce: request.body)
            jobs.append { await $0.prove(wanted, proof, keyspace) }
        default: throw BLIPRequestError(.noHandler, "No handler for BLIP request")
        }
    }

    private func collection(of request: BLIPMessage) throws(BLIPRequestError) -> CollectionReplication {
        let property = request.properties["collection"]
        guard let collection = collections.first(where: { $0.index == property }) else {
            throw BLIPRequestError(.badRequest, "collection \(property?.prefix(20) ?? "none") is not replicated")
        }
        return collection
    }

    /// The requested attachment, if a revision with it is being sent.
    private func permittedAttachment(_ request: BLIPMessage, _ collection: CollectionReplication) throws(BLIPRequestError) -> GetAttachment
    {
        var wanted = try GetAttachment(request, subprotocol)
        guard let attachment = permits.attachment(wanted.digest, of: wanted.document, in: handle(of: collection)) else {
            throw wanted.missing
        }
        wanted.compressed = attachment.compressed
        return wanted
    }

    /// Replies with the proof that an attachment is stored here (docs/protocol/modern-2x.md#proveattachment).
    private func prove(_ wanted: GetAttachment, _ proof: AttachmentProof, _ keyspace: Keyspace) async {
        do {
            reply(.reply(to: wanted.number, body: Array(try await proof.answer(for: wanted.reader(in: keyspace)).utf8)))
        } catch {
            refuse(wanted.number, error)
        }
    }

    func handle(of collection: CollectionReplication) -> CollectionHandle {
        collection.index.flatMap { Int($0) } ?? 0
    }

    /// Waits until the number of queued revisions permits more. No counted revision waits for the server.
    func waitForCapacity() async {
        while !isEnded, collections.contains(where: { $0.inbox.count + $0.deltasUnderWay >= limits.revisionsToWrite }) {
            await changed.wait()
        }
    }
}

/// A request of a replicator whose reply is outstanding, by its purpose.
enum OutstandingRequest {
    /// A `proposeChanges`.
    case proposals([LocalChange], collection: Int)
    /// A `rev`.
    case revision(LocalChange, collection: Int, size: Int)
    /// The `getCheckpoint` that nothing waits for, because there is no local checkpoint to compare.
    case checkpoint(collection: Int)
    /// A `subChanges`.
    case subscription
    /// A task waits for the reply.
    case inbox(ReplyInbox)
}
