public import Documents
import Logging
import Storage

/// Servers that know one line of revisions of a document: what has won here is to follow what they have.
///
/// A copy always has a higher generation than both the revision that it copies and the one that it follows. So a second server, which has the copied one, can be
/// told the copy as a child of that, and no further revision is needed.
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
        guard let copy = try await copy(of: winner, of: id, onto: line, above: winner.generation) else { return nil }
        let link = try Self.possible { try RevisionDigest.link(winner, to: copy.revision) }
        // Both together: what wins is never there twice, and never not at all.
        guard try await carryOut([copy.write, Self.end(of: winner, of: id, as: link, beside: copy.revision)]) else { return nil }
        database.logger.notice(
            "what has won was put onto the other server's line, which has no branches",
            metadata: ["document": "\(id)", "winner": "\(winner)", "line": "\(line)"])
        return copy.revision
    }

    /// Writes what has won once more, on top of itself, with a generation above another one, so that it can follow a revision of that.
    ///
    /// - Returns: the revision; `nil` if the document has changed meanwhile.
    /// - Throws: ``GatewayError`` if it cannot be written, as a sync function says; what the store throws.
    public func raise(_ winner: RevisionID, above generation: Int, of id: String) async throws -> RevisionID? {
        guard let copy = try await copy(of: winner, of: id, onto: winner, above: generation) else { return nil }
        return try await carryOut([copy.write]) ? copy.revision : nil
    }

    /// Closes a live branch, whose content is an older state of what another one has.
    ///
    /// - Throws: ``GatewayError`` if it cannot be written, as a sync function says; what the store throws.
    public func close(_ leaf: RevisionID, of id: String) async throws {
        let tombstone = try Self.possible { try RevisionDigest.syncGateway(parent: leaf, body: DocumentBody.empty, isDeleted: true) }
        _ = try await carryOut([Self.end(of: leaf, of: id, as: tombstone)])
    }

    private static func end(of leaf: RevisionID, of id: String, as tombstone: RevisionID, beside other: RevisionID? = nil) -> RevisionWrite
    {
        RevisionWrite(
            id: id, kind: .replicated(history: [tombstone, leaf], conflicts: .follow(beside: other)), isDeleted: true,
            body: DocumentBody.empty)
    }

    private func copy(
        of winner: RevisionID, of id: String, onto leaf: RevisionID, above generation: Int
    ) async throws -> (revision: RevisionID, write: RevisionWrite)? {
        let content = try await read { snapshot -> RevisionContent? in
            guard let document = try snapshot.document(id), document.winner == winner, document.tree.node(leaf)?.isLeaf == true else {
                return nil
            }
            return try document.content(of: winner)
        }
        guard let content, !content.isDeleted else { return nil }
        let history = try Self.possible {
            let path = try LinkRevisions(of: winner, onto: leaf, above: generation)
            return [try path.revision(of: content.body.properties)] + path.history
        }
        let write = RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .follow(beside: nil)), isDeleted: false, body: content.body.properties,
            attachments: try content.body.attachments.map { try AttachmentSet($0) }, expiry: content.expiry)
        return (history[0], write)
    }

    /// - Returns: whether the first of them was written: `false` if the document has changed meanwhile.
    private func carryOut(_ writes: [RevisionWrite]) async throws -> Bool {
        var isWritten = true
        for (index, result) in try await store(writes).enumerated() {
            guard case .failure(let error) = result else { continue }
            guard error.code == .conflict else { throw error }
            if index == 0 { isWritten = false }
        }
        return isWritten
    }

    /// A revision that a client gave the highest generation cannot be followed.
    private static func possible<Value>(_ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as DocumentError {
            throw GatewayError(.badRequest, error.message, cause: error)
        }
    }
}
