import Documents
import Storage

/// What is to become of a document with several live leaves.
struct ConflictDecision: Sendable {
    enum Outcome: Sendable {
        /// A branch as it is.
        case branch(RevisionContent)
        /// A document of the resolver's making.
        case merged(ParsedDocument, json: [UInt8])
        case deleted
    }

    private let winner: RevisionContent
    private let losers: [RevisionContent]
    var outcome: Outcome

    /// The winning branch stays.
    ///
    /// - Parameter branches: the live leaves, the winner first; at least one.
    init(keeping branches: [RevisionContent]) {
        winner = branches[0]
        losers = Array(branches.dropFirst())
        outcome = .branch(branches[0])
    }

    /// What has been decided so far, as the resolver sees it; `nil` for a tombstone.
    var json: [UInt8]? {
        switch outcome {
        case .branch(let branch): StoredConflictResolver.json(of: branch)
        case .merged(_, let json): json
        case .deleted: nil
        }
    }

    /// The revision that has been decided for so far; empty if it is none of the branches.
    var revision: String {
        if case .branch(let branch) = outcome { "\(branch.revision)" } else { "" }
    }

    /// Takes a document that the resolver made.
    ///
    /// - Throws: `DocumentError` if it is none.
    mutating func merge(_ json: [UInt8]) throws {
        let document = try ParsedDocument(json, policy: .legacy)
        outcome = document.isDeleted ? .deleted : .merged(document, json: json)
    }

    /// The revisions that carry it out: a child of the winner where that is not what stays, and a tombstone on each other branch.
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
