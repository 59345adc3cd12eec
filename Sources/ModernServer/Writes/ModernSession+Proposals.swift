import Access
import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol

extension ModernSession {
    func proposeChanges(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let keyspace = collection.keyspace
        let proposals = try ProposeChanges(request, subprotocol, maxItems: limits.proposals)
        // LiteCore sends an empty list once, without wanting a reply, when it has nothing to push.
        guard !proposals.items.isEmpty else { return reply(.reply(to: request.number, body: Array("[]".utf8))) }
        let hasTree = client.hasRevisionTrees
        let copy = copy(of: collection)
        var properties: BLIPProperties = takesDeltas(keyspace) ? ["deltas": "true"] : [:]
        if subprotocol.hasVersions, request.properties.bool(CarriedHistory.tree) {
            properties.add(CarriedHistory.tree, "true")
            if keyspace.principal.isAdministrator { properties.add(CarriedHistory.clients, "true") }
        }
        let promised = properties
        answer(request) { session in
            try await keyspace.recognize(proposals.known, past: session.collections[handle]?.past ?? .none)
            let answers = try await proposals.answers(
                of: keyspace, for: copy, hasTree: hasTree, isFirst: session.collections[handle]?.pull.isFirst == true)
            // Before the wait: the pull that it waits for sends the moved documents before its end.
            try await session.resendMoved(proposals.refused(answers), in: handle)
            if proposals.needsPull(answers, hasTree: hasTree), session.load.waitingProposals < session.limits.waitingProposals {
                try await session.waitForPull(handle)
            }
            session.collections[handle]?.writes.request(proposals.wanted(answers), limit: session.limits.proposals)
            return .reply(to: request.number, properties: promised, body: proposals.body(answers), isCompressed: true)
        }
    }

    /// `changes` from a client that pushes. No Couchbase Lite 2.x+ client sends it, and this server accepts no conflicts.
    func changes(_ request: BLIPMessage) throws {
        _ = try collection(of: request)
        // A pusher without changes sends an empty list.
        let body = request.body.filter { $0 > 0x20 }
        guard body.isEmpty || body == Array("[]".utf8) || body == Array("null".utf8) else {
            throw BLIPRequestError(.conflict, "Use 'proposeChanges' instead")
        }
        reply(.reply(to: request.number, body: Array("[]".utf8)))
    }

    /// Waits until the client's own pull has caught up; returns early if the client does not pull.
    func waitForPull(_ handle: CollectionHandle) async throws {
        guard let collection = collections[handle] else { return }
        // This request waits for the client, so it must not block reading from the socket.
        load.requests -= 1
        load.waitingProposals += 1
        capacityFreed.notifyAll()
        defer {
            load.requests += 1
            load.waitingProposals -= 1
        }
        let limit = Task { [timeToPull = limits.timeToPull] in
            // A client that does not pull causes no event, so a timeout decides. A pull cancels it.
            try await suspend(for: timeToPull)
            guard let collection = collections[handle], collection.feed == nil else { return }
            collection.pull.abandon()
            collection.pullBegan.notifyAll()
        }
        defer { limit.cancel() }
        while collection.pull.isAwaited, !isEnded {
            if let feed = collection.feed { await feed.waitForChange() } else { await collection.pullBegan.wait() }
        }
    }
}

extension ProposeChanges {
    /// Whether the reply has to wait for the client's pull.
    ///
    /// This applies to conflicts of revisions that the client names by tree IDs, from a database that was upgraded to versions. The client
    /// needs the versions of these revisions first, or it treats each as a conflict (LiteCore 4.1, `_docRemoteAncestorChanged`).
    func needsPull(_ answers: [ProposalStatus], hasTree: Bool) -> Bool {
        guard !hasTree else { return false }
        let versions = items.compactMap { if case .version(let proposal) = $0 { proposal } else { nil } }
        return zip(versions, answers).contains { proposal, answer in
            guard case .tree = proposal.revision, case .conflict = answer else { return false }
            return true
        }
    }

    /// The documents whose proposed revisions are conflicts.
    func refused(_ answers: [ProposalStatus]) -> [String] {
        ids(answers) { if case .conflict = $0 { true } else { false } }
    }

    /// The documents whose proposed revisions are requested.
    func wanted(_ answers: [ProposalStatus]) -> [String] {
        ids(answers) { if case .wanted = $0 { true } else { false } }
    }

    private func ids(_ answers: [ProposalStatus], _ isMeant: (ProposalStatus) -> Bool) -> [String] {
        let ids = items.compactMap { item in
            switch item {
            case .proposal(let proposal): proposal.id
            case .version(let proposal): proposal.id
            case .refused: nil
            }
        }
        return zip(ids, answers).compactMap { id, answer in isMeant(answer) ? id : nil }
    }

    /// The documents, with the revisions of them that the client evidently has.
    var known: [(id: String, revisions: [VersionProposal.Revision])] {
        items.compactMap { item in
            switch item {
            case .proposal(let proposal): (proposal.id, [.tree(proposal.revision)] + (proposal.parent.map { [.tree($0)] } ?? []))
            case .version(let proposal): (proposal.id, [proposal.revision] + (proposal.parent.map { [$0] } ?? []))
            case .refused: nil
            }
        }
    }

    /// The keyspace's results for the well-formed proposals, in their order.
    func answers(of keyspace: Keyspace, for copy: ClientDatabase?, hasTree: Bool, isFirst: Bool) async throws -> [ProposalStatus] {
        let versions = items.compactMap { if case .version(let proposal) = $0 { proposal } else { nil } }
        guard versions.isEmpty else {
            return try await keyspace.answer(versions, copy: copy, hasTree: hasTree, isFirst: isFirst).map { answer in
                switch answer {
                case .wanted: .wanted
                case .known: .known
                case .conflict(let current): .conflict(current: current.description)
                }
            }
        }
        let proposals = items.compactMap { if case .proposal(let proposal) = $0 { proposal } else { nil } }
        return try await keyspace.answer(proposals).map { answer in
            switch answer {
            case .wanted: .wanted
            case .known: .known
            case .conflict(let current): .conflict(current: current.text)
            }
        }
    }
}
