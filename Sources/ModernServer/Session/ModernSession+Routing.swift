import BLIP
import Coordination
import ModernProtocol

extension ModernSession {
    func finish(by end: ConnectionEnd) {
        switch end {
        case .peer: finish(.peer)
        case .lost: finish(.trouble)
        case .violation(let error): finish(.violation(error))
        }
    }

    func receive(_ event: BLIPEvent) {
        switch event {
        case .request(let request):
            do {
                if let trace { try route(request, trace) } else { try route(request) }
            } catch {
                refuse(request.number, error)
            }
        case .reply(let reply):
            deliver(event, of: reply.number, isLast: true)
        case .replyPart(let part):
            deliver(event, of: part.number, isLast: part.isLast)
        }
    }

    private func deliver(_ event: BLIPEvent, of number: UInt64, isLast: Bool) {
        guard let answer = isLast ? awaited.removeValue(forKey: number) : awaited[number] else { return }
        switch (answer, event) {
        case (.changes(let announced), .reply(let reply)): receiveAnswer(reply, to: announced)
        case (.revision(let sent), _):
            permits.release(number)
            if case .reply(let reply) = event, reply.type == .error { collections[sent.collection]?.sent.remove(sent.id) }
            if sent.isConfirmed { sent.feed.recordStored() } else { sent.feed.notify() }
        case (.delta(let sent), .reply(let reply)): receiveReply(reply, to: sent)
        case (.inbox(let inbox), _): inbox.append(event)
        case (.changes, _), (.delta, _): break
        }
    }

    /// Waits until the session's load permits more work. No counted work waits for the client, so the wait always ends.
    func waitForCapacity() async {
        while load.isTooMuch(limits), !isEnded {
            await capacityFreed.wait()
        }
    }

    /// Routes a client's request to its handler.
    ///
    /// - Throws: The error of the error reply. Handlers that continue as a job send their replies themselves.
    func route(_ request: BLIPMessage) throws {
        guard let profile = request.profile.flatMap({ Profile(rawValue: $0) }) else {
            throw BLIPRequestError(.noHandler, "No handler for BLIP request")
        }
        switch profile {
        case .getCollections: try getCollections(request)
        case .getCheckpoint: try getCheckpoint(request)
        case .setCheckpoint: try setCheckpoint(request)
        case .subChanges: try subChanges(request)
        case .unsubChanges: try unsubChanges(request)
        case .changes: try changes(request)
        case .proposeChanges: try proposeChanges(request)
        case .rev: try rev(request)
        case .norev: try norev(request)
        case .getAttachment: try getAttachment(request)
        case .proveAttachment: try proveAttachment(request)
        case .ping: reply(.reply(to: request.number))
        }
    }

    /// The collection of a request.
    func collection(of request: BLIPMessage) throws(BLIPRequestError) -> (CollectionHandle, SessionCollection) {
        let handle = try collections.resolve(request.properties["collection"])
        guard let collection = collections[handle] else {
            throw BLIPRequestError(.badRequest, "Collection \(handle) does not exist")
        }
        return (handle, collection)
    }

    /// Runs `work` as a job and sends its result as the reply.
    func answer(_ request: BLIPMessage, _ work: @escaping @Sendable (isolated ModernSession) async throws -> BLIPMessage) {
        let number = request.number
        load.requests += 1
        jobs.append { session in
            do {
                session.reply(try await work(session))
            } catch {
                session.refuse(number, error)
            }
            session.load.requests -= 1
            session.capacityFreed.notifyAll()
        }
    }
}
