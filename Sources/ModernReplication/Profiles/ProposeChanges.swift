import BLIP
import Documents
import Gateway

/// `proposeChanges`: what the client would like to push (protocol reference 3.7).
struct ProposeChanges: Sendable {
    /// One row.
    enum Item: Sendable {
        case proposal(Proposal)
        /// One that cannot be right; the status says why.
        case refused(Int)
    }

    let items: [Item]

    /// Whether the answer may name the revision that stands in the way.
    let conflictIncludesRevision: Bool

    init(_ request: BLIPMessage, maxItems: Int) throws(RequestError) {
        conflictIncludesRevision = request.properties.bool("conflictIncludesRev")
        do {
            items = try JSONReader.read(request.body) { reader in
                var items: [Item] = []
                guard !reader.isNull else { return items }
                try reader.array { row in
                    guard items.count < maxItems else { throw RequestError(.tooLarge, "proposeChanges has more than \(maxItems) rows") }
                    items.append(try Self.item(&row))
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
    private static func item(_ reader: inout JSONReader) throws -> Item {
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
        guard let revision = RevisionID(revision) else { return .refused(400) }
        guard let parent, !parent.isEmpty else { return .proposal(Proposal(id: id, revision: revision, parent: nil)) }
        guard let parent = RevisionID(parent) else { return .refused(400) }
        return .proposal(Proposal(id: id, revision: revision, parent: parent))
    }

    /// The statuses of all items, zeros at the end cut off.
    func body(_ answers: [ProposalAnswer]) -> [UInt8] {
        var body: [UInt8] = [UInt8(ascii: "[")]
        var length = 1
        var answers = answers.makeIterator()
        for (index, item) in items.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            switch item {
            case .refused(let status): JSONWriter.append(status, to: &body)
            case .proposal:
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

    private func append(_ answer: ProposalAnswer, to body: inout [UInt8]) {
        switch answer {
        case .wanted: JSONWriter.append(0, to: &body)
        case .known: JSONWriter.append(304, to: &body)
        case .conflict(let current):
            guard conflictIncludesRevision else { return JSONWriter.append(409, to: &body) }
            JSONWriter.append(raw: "{\"status\":409,\"rev\":", to: &body)
            JSONWriter.append(current, to: &body)
            body.append(UInt8(ascii: "}"))
        }
    }
}

extension ModernSession {
    func proposeChanges(_ request: BLIPMessage) throws {
        let keyspace = try collection(of: request).1.keyspace
        let proposals = try ProposeChanges(request, maxItems: limits.proposals)
        // LiteCore says once, and wants no reply, that it has nothing to push.
        guard !proposals.items.isEmpty else { return reply(.reply(to: request.number, body: Array("[]".utf8))) }
        answer(request) { _ in
            let known = proposals.items.compactMap { if case .proposal(let proposal) = $0 { proposal } else { nil } }
            let answers = try await keyspace.answer(known)
            let properties: BLIPProperties = keyspace.database.configuration.deltaSync ? ["deltas": "true"] : [:]
            return .reply(to: request.number, properties: properties, body: proposals.body(answers), isCompressed: true)
        }
    }
}
