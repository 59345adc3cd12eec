import BLIP

extension ModernSession {
    /// Sees to a request of the client's.
    ///
    /// - Throws: What makes the error reply. Handlers that go on as a job reply for themselves.
    func route(_ request: BLIPMessage) throws {
        guard let profile = request.profile.flatMap({ Profile(rawValue: $0) }) else {
            throw RequestError(.noHandler, "No handler for BLIP request")
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

    /// The collection that a request is about.
    func collection(of request: BLIPMessage) throws(RequestError) -> (CollectionHandle, SessionCollection) {
        let handle = try collections.resolve(request.properties["collection"])
        guard let collection = collections[handle] else {
            throw RequestError(.badRequest, "Collection \(handle) does not exist")
        }
        return (handle, collection)
    }

    /// Answers a request when `work` has found the answer, as a job.
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
            session.relieved.open()
        }
    }
}
