import Access
import BLIP
import Documents
import Gateway

/// `proposeChanges`: what the client would like to push (docs/protocol/modern-2x.md#proposechanges).
struct ProposeChanges: Sendable {
    /// One row.
    enum Item: Sendable {
        case proposal(Proposal)
        /// One of a client that knows versions.
        case version(VersionProposal)
        /// One that cannot be right; the status says why.
        case refused(Int)
    }

    let items: [Item]

    /// Whether the answer may name the revision that stands in the way.
    let conflictIncludesRevision: Bool

    init(_ request: BLIPMessage, _ subprotocol: Subprotocol, maxItems: Int) throws(RequestError) {
        conflictIncludesRevision = request.properties.bool("conflictIncludesRev")
        do {
            items = try JSONReader.read(request.body) { reader in
                var items: [Item] = []
                guard !reader.isNull else { return items }
                try reader.array { row in
                    guard items.count < maxItems else { throw RequestError(.tooLarge, "proposeChanges has more than \(maxItems) rows") }
                    items.append(try Self.item(&row, subprotocol))
                }
                return items
            }
        } catch let error as RequestError {
            throw error
        } catch {
            throw RequestError(.badRequest, "The body of proposeChanges is malformed: \(error)")
        }
    }

    /// `[docID, revID, parentRevID or "", bodySize]`, of which the last two may be missing.
    private static func item(_ reader: inout JSONReader, _ subprotocol: Subprotocol) throws -> Item {
        var id: String?
        var revision: String?
        var parent: String?
        var position = 0
        try reader.array { value in
            switch position {
            case 0: id = try value.string()
            case 1: revision = try value.string()
            case 2 where value.kind == .string: parent = try value.string()
            default: break
            }
            position += 1
        }
        guard let id, let revision else { throw reader.error(.wrongType) }
        if subprotocol.hasVersions { return version(id, revision, parent: parent ?? "") }
        guard let revision = RevisionID(revision) else { return .refused(400) }
        guard let parent, !parent.isEmpty else { return .proposal(Proposal(id: id, revision: revision, parent: nil)) }
        guard let parent = RevisionID(parent) else { return .refused(400) }
        return .proposal(Proposal(id: id, revision: revision, parent: parent))
    }

    private static func version(_ id: String, _ revision: String, parent: String) -> Item {
        let name = name(parent)
        guard let revision = Self.name(revision), name != nil || parent.isEmpty else { return .refused(400) }
        return .version(VersionProposal(id: id, revision: revision, parent: name))
    }

    /// A version alone, a whole vector, or the ID of a tree's revision.
    private static func name(_ text: String) -> VersionProposal.Revision? {
        if let tree = RevisionID(text) { return .tree(tree) }
        return (try? VersionVector(text)).map { .version($0) }
    }

    /// The statuses of all items, zeros at the end cut off.
    func body(_ answers: [ProposalStatus]) -> [UInt8] {
        var body: [UInt8] = [UInt8(ascii: "[")]
        var length = 1
        var answers = answers.makeIterator()
        for (index, item) in items.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            switch item {
            case .refused(let status): JSONWriter.append(status, to: &body)
            case .proposal, .version:
                let answer = answers.next() ?? .wanted
                append(answer, to: &body)
                if answer == .wanted { continue }
            }
            length = body.count
        }
        body.removeSubrange(length...)
        body.append(UInt8(ascii: "]"))
        return body
    }

    private func append(_ answer: ProposalStatus, to body: inout [UInt8]) {
        switch answer {
        case .wanted: JSONWriter.append(0, to: &body)
        case .known: JSONWriter.append(304, to: &body)
        case .conflict(let current):
            guard conflictIncludesRevision, let current else { return JSONWriter.append(409, to: &body) }
            JSONWriter.append(raw: "{\"status\":409,\"rev\":", to: &body)
            JSONWriter.append(current, to: &body)
            body.append(UInt8(ascii: "}"))
        case .refused(let status): JSONWriter.append(status, to: &body)
        }
    }

    /// Whether the answer has to wait for the client's pull: it names revisions by IDs of a tree, of a database that was upgraded to versions, and
    /// has to know them by their versions first. Otherwise it takes each for a conflict (LiteCore 4.1, `_docRemoteAncestorChanged`).
    func needsPull(_ answers: [ProposalStatus], hasTree: Bool) -> Bool {
        guard !hasTree else { return false }
        let versions = items.compactMap { if case .version(let proposal) = $0 { proposal } else { nil } }
        return zip(versions, answers).contains { proposal, answer in
            guard case .tree = proposal.revision, case .conflict = answer else { return false }
            return true
        }
    }

    /// The documents whose revisions another one stands in the way of.
    func refused(_ answers: [ProposalStatus]) -> [String] {
        let ids = items.compactMap { item in
            switch item {
            case .proposal(let proposal): proposal.id
            case .version(let proposal): proposal.id
            case .refused: nil
            }
        }
        return zip(ids, answers).compactMap { id, answer in
            if case .conflict = answer { id } else { nil }
        }
    }

    /// The documents, and the revisions of them that the client shows to have.
    var known: [(id: String, revisions: [VersionProposal.Revision])] {
        items.compactMap { item in
            switch item {
            case .proposal(let proposal): (proposal.id, [.tree(proposal.revision)] + (proposal.parent.map { [.tree($0)] } ?? []))
            case .version(let proposal): (proposal.id, [proposal.revision] + (proposal.parent.map { [$0] } ?? []))
            case .refused: nil
            }
        }
    }

    /// What the keyspace says of the proposals that are well-formed, in their order.
    func answers(of keyspace: Keyspace, for copy: ClientCopy?, hasTree: Bool, isFirst: Bool) async throws -> [ProposalStatus] {
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

extension ModernSession {
    func proposeChanges(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let keyspace = collection.keyspace
        let proposals = try ProposeChanges(request, subprotocol, maxItems: limits.proposals)
        // LiteCore says once, and wants no reply, that it has nothing to push.
        guard !proposals.items.isEmpty else { return reply(.reply(to: request.number, body: Array("[]".utf8))) }
        let hasTree = client.hasRevisionTrees
        let copy = copy(of: collection)
        var properties: BLIPProperties = takesDeltas(keyspace) ? ["deltas": "true"] : [:]
        if subprotocol.hasVersions, request.properties.bool(TakenAlong.tree) {
            properties.add(TakenAlong.tree, "true")
            if keyspace.principal.isAdministrator { properties.add(TakenAlong.clients, "true") }
        }
        let promised = properties
        answer(request) { session in
            try await keyspace.recognize(proposals.known, wasUnified: session.collections[handle]?.wasUnified == true)
            let answers = try await proposals.answers(
                of: keyspace, for: copy, hasTree: hasTree, isFirst: session.collections[handle]?.pull.isFirst == true)
            if proposals.needsPull(answers, hasTree: hasTree), session.load.waitingProposals < session.limits.waitingProposals {
                try await session.waitForPull(handle)
            }
            try await session.show(proposals.refused(answers), in: handle)
            return .reply(to: request.number, properties: promised, body: proposals.body(answers), isCompressed: true)
        }
    }
}
