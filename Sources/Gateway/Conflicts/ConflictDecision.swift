import Documents
import Storage

/// The resolution of a document with several live leaves.
struct ConflictDecision: Sendable {
    enum Outcome: Sendable {
        /// An existing branch, unchanged.
        case branch(RevisionContent)
        /// A document that the resolver created.
        case merged(ParsedDocument, json: [UInt8])
        case deleted
    }

    private let winner: RevisionContent
    private let losers: [RevisionContent]
    var outcome: Outcome

    /// Starts with the winning branch.
    ///
    /// - Parameter branches: the live leaves, the winner first; at least one.
    init(keeping branches: [RevisionContent]) {
        winner = branches[0]
        losers = Array(branches.dropFirst())
        outcome = .branch(branches[0])
    }

    /// The document of the resolution so far, in the resolver's form; `nil` for a tombstone.
    var json: [UInt8]? {
        switch outcome {
        case .branch(let branch): StoredConflictResolver.json(of: branch)
        case .merged(_, let json): json
        case .deleted: nil
        }
    }

    /// The revision of the resolution so far; empty if it is not an existing branch.
    var revision: String {
        if case .branch(let branch) = outcome { "\(branch.revision)" } else { "" }
    }

    /// Uses a document that the resolver created.
    ///
    /// - Throws: `DocumentError` if `json` is not a valid document.
    mutating func merge(_ json: [UInt8]) throws {
        let document = try ParsedDocument(json, policy: .legacy)
        outcome = document.isDeleted ? .deleted : .merged(document, json: json)
    }

    /// The revisions that carry out the resolution: a child of the winner unless the winner stays, and a tombstone on each other branch.
    func writes() throws -> [RevisionWrite] {
        let tombstones = losers.map { tombstone(on: $0) }
        switch outcome {
        case .branch(let branch) where branch.revision == winner.revision: return tombstones
        case .branch(let branch):
            return [try child(branch.body.properties, branch.body.attachments)] + tombstones
        case .merged(let document, _): return [try child(document.body, document.attachments)] + tombstones
        case .deleted: return [tombstone(on: winner)] + tombstones
        }
    }

    private func child(_ body: [UInt8], _ attachments: [UInt8]?) throws -> RevisionWrite {
        RevisionWrite(
            id: winner.id, kind: .edit(parent: winner.revision), isDeleted: false, body: body,
            attachments: try attachments.map { try AttachmentSet($0) })
    }

    private func tombstone(on branch: RevisionContent) -> RevisionWrite {
        RevisionWrite(id: branch.id, kind: .edit(parent: branch.revision), isDeleted: true, body: DocumentBody.empty)
    }
}
