import BLIP
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
            take(reply, event, awaited)
        case .replyPart(let part):
            guard case .inbox(let inbox)? = part.isLast ? awaited.removeValue(forKey: part.number) : awaited[part.number] else { return }
            inbox.append(event)
        }
    }

    private func take(_ reply: BLIPMessage, _ event: BLIPEvent, _ awaited: AwaitedReply) {
        do {
            switch awaited {
            case .proposals(let changes, let index): try takeAnswer(reply, to: changes, of: collections[index])
            case .revision(let change, let index, let size):
                takeReply(reply, to: change, size: size, of: collections[index])
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

    /// Sees to a request of the server's.
    private func route(_ request: BLIPMessage) throws {
        let collection = try collection(of: request)
        switch request.profile {
        case "changes": try takeChanges(request, collection)
        case "rev": takeRevision(request, collection)
        case "norev": takeNoRevision(request, collection)
        case "getAttachment":
            guard uploads.waiting < limits.attachmentRequests else {
                throw RequestError(.unavailable, "Too many attachments are being asked for at a time")
            }
            let wanted = try permittedAttachment(request, collection)
            let keyspace = collection.keyspace
            jobs.append { await $0.upload(wanted, keyspace) }
        case "proveAttachment":
            let wanted = try permittedAttachment(request, collection)
            let keyspace = collection.keyspace
            let proof = try AttachmentProof(nonce: request.body)
            jobs.append { await $0.prove(wanted, proof, keyspace) }
        default: throw RequestError(.noHandler, "No handler for BLIP request")
        }
    }

    private func collection(of request: BLIPMessage) throws(RequestError) -> CollectionReplication {
        let property = request.properties["collection"]
        guard let collection = collections.first(where: { $0.index == property }) else {
            throw RequestError(.badRequest, "collection \(property?.prefix(20) ?? "none") is not one that is being replicated")
        }
        return collection
    }

    /// The attachment that a request is about, if a revision is being sent that names it.
    private func permittedAttachment(_ request: BLIPMessage, _ collection: CollectionReplication) throws(RequestError) -> GetAttachment {
        var wanted = try GetAttachment(request, subprotocol)
        guard let attachment = permits.attachment(wanted.digest, of: wanted.document, in: handle(of: collection)) else {
            throw wanted.missing
        }
        wanted.compressed = attachment.compressed
        return wanted
    }

    /// Shows that an attachment is here (docs/protocol/modern-2x.md#proveattachment).
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

    /// Waits until there is room for more revisions. What is counted here never waits for the server.
    func relief() async {
        while !isEnded, collections.contains(where: { $0.inbox.count + $0.deltasUnderWay >= limits.revisionsToWrite }) {
            await changed.wait()
        }
    }
}

/// What becomes of the reply to a request of a replicator's.
enum AwaitedReply {
    /// To `proposeChanges`.
    case proposals([LocalChange], collection: Int)
    /// To `rev`.
    case revision(LocalChange, collection: Int, size: Int)
    /// To the `getCheckpoint` that nothing waits for, because there is no checkpoint here to compare with.
    case checkpoint(collection: Int)
    /// To `subChanges`.
    case subscription
    /// A task waits for it.
    case inbox(ReplyInbox)
}
