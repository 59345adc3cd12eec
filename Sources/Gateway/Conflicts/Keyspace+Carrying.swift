public import Documents
import Logging
import Storage

extension Keyspace {
    /// Puts what has won in a document onto another branch: its content becomes a child of that branch's leaf, and its own branch is closed.
    ///
    /// A server that keeps one line of revisions can take it then. Nothing is written if the document has changed meanwhile.
    ///
    /// - Parameters:
    ///   - winner: the revision that has won.
    ///   - line: the leaf of the other branch, which may be a tombstone.
    /// - Returns: the child; `nil` if none is needed any more.
    /// - Throws: ``GatewayError`` if it cannot be written, as a sync function says; what the store throws.
    public func carry(_ winner: RevisionID, onto line: RevisionID, of id: String) async throws -> RevisionID? {
        let content = try await read { snapshot -> RevisionContent? in
            guard let document = try snapshot.document(id), document.winner == winner, document.tree.node(line)?.isLeaf == true else {
                return nil
            }
            return try document.content(of: winner)
        }
        guard let content, !content.isDeleted else { return nil }
        let child = RevisionWrite(
            id: id, kind: .edit(parent: line), isDeleted: false, body: content.body.properties,
            attachments: try content.body.attachments.map { try AttachmentSet($0) })
        let tombstone = RevisionWrite(id: id, kind: .edit(parent: winner), isDeleted: true, body: DocumentBody.empty)
        let outcome: WriteOutcome
        switch try await write(child) as Result {
        case .success(let written): outcome = written
        case .failure(let error) where error.code == .conflict: return nil
        case .failure(let error): throw error
        }
        if case .failure(let error) = try await write(tombstone) as Result, error.code != .conflict { throw error }
        database.logger.notice(
            "what has won was put onto the other server's line, which has no branches",
            metadata: ["document": "\(id)", "winner": "\(winner)", "line": "\(line)"])
        return outcome.revision
    }

    private func write(_ write: RevisionWrite) async throws -> Result<WriteOutcome, GatewayError> {
        try await store([write]).first ?? .failure(GatewayError(.unavailable, "The write had no result"))
    }
}
