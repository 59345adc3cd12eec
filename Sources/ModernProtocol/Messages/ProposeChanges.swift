package import BLIP
import Documents
package import Gateway

/// `proposeChanges`: the revisions that the client offers to push (docs/protocol/modern-2x.md#proposechanges).
package struct ProposeChanges: Sendable {
    /// One row of the message.
    package enum Item: Sendable {
        case proposal(Proposal)
        /// A row of a client with versions.
        case version(VersionProposal)
        /// An invalid row, with the status of its error.
        case refused(Int)
    }

    package let items: [Item]

    /// Whether the reply may name the current revision in a conflict.
    let conflictIncludesRevision: Bool

    package init(_ request: BLIPMessage, _ subprotocol: Subprotocol, maxItems: Int) throws(BLIPRequestError) {
        conflictIncludesRevision = request.properties.bool("conflictIncludesRev")
        do {
            items = try JSONReader.read(request.body) { reader in
                var items: [Item] = []
                guard !reader.isNull else { return items }
                try reader.array { row in
                    guard items.count < maxItems else { throw BLIPRequestError(.tooLarge, "proposeChanges has more than \(maxItems) rows") }
                    items.append(try Self.item(&row, subprotocol))
                }
                return items
            }
        } catch let error as BLIPRequestError {
            throw error
        } catch {
            throw BLIPRequestError(.badRequest, "The body of proposeChanges is malformed: \(error)")
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

    /// Parses a single version, a version vector, or a tree ID.
    private static func name(_ text: String) -> VersionProposal.Revision? {
        if let tree = RevisionID(text) { return .tree(tree) }
        return (try? VersionVector(text)).map { .version($0) }
    }

    /// The reply's body: the statuses of all items, without trailing zeros.
    package func body(_ answers: [ProposalStatus]) -> [UInt8] {
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
}

/// The server's status for one proposed revision (docs/protocol/modern-2x.md#proposechanges).
package enum ProposalStatus: Sendable, Hashable {
    case wanted
    case known
    /// The server has a different current revision. `nil` if the server does not name it; empty if the server has no revision.
    case conflict(current: String?)
    case refused(Int)
}
