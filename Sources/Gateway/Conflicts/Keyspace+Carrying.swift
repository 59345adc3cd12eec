package import Documents
import Logging
import Storage

/// Copies of winning revisions for servers that have a single branch per document: the winner has to descend from the server's revision.
///
/// A copy always has a higher generation than both the copied revision and its new parent. A second server that has the copied revision can
/// therefore receive the copy as its child, without a further revision.
extension Keyspace {
    /// Copies the winner of a document onto another branch: its content becomes a child of that branch's leaf, and its own branch is closed.
    ///
    /// A server with a single branch can then receive it. Nothing is written if the document has changed meanwhile.
    ///
    /// - Parameters:
    ///   - winner: the winning revision.
    ///   - line: the leaf of the other branch, which may be a tombstone.
    /// - Returns: the child; `nil` if none is needed any more.
    /// - Throws: ``GatewayError`` if the copy cannot be written, for example because the sync function refuses it; the store's errors.
    package func carry(_ winner: RevisionID, onto line: RevisionID, of id: String) async throws -> RevisionID? {
        guard let copy = try await copy(of: winner, of: id, onto: line, above: winner.generation) else { return nil }
        let link = try Self.possible { try RevisionDigest.link(winner, to: copy.revision) }
        // One transaction for both: at any time exactly one live revision has the winner's content.
        guard try await carryOut([copy.write, Self.end(of: winner, of: id, as: link, beside: copy.revision)]) else { return nil }
        database.logger.notice(
            "the winning revision was copied onto the branch of the other server, which has one branch a document",
            metadata: ["document": "\(id)", "winner": "\(winner)", "line": "\(line)"])
        return copy.revision
    }

    /// Writes the winner again as its own child, with a generation above `generation`, so that it can follow a revision of that generation.
    ///
    /// - Returns: the new revision; `nil` if the document has changed meanwhile.
    /// - Throws: ``GatewayError`` if the copy cannot be written, for example because the sync function refuses it; the store's errors.
    package func raise(_ winner: RevisionID, above generation: Int, of id: String) async throws -> RevisionID? {
        guard let copy = try await copy(of: winner, of: id, onto: winner, above: generation) else { return nil }
        return try await carryOut([copy.write]) ? copy.revision : nil
    }

    /// Closes a live branch whose content is an older state of another branch's.
    ///
    /// - Throws: ``GatewayError`` if the tombstone cannot be written, for example because the sync function refuses it; the store's errors.
    package func close(_ leaf: RevisionID, of id: String) async throws {
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

    /// - Returns: whether the first write succeeded; `false` if the document has changed meanwhile.
    private func carryOut(_ writes: [RevisionWrite]) async throws -> Bool {
        var isWritten = true
        for (index, result) in try await store(writes).enumerated() {
            guard case .failure(let error) = result else { continue }
            guard error.code == .conflict else { throw error }
            if index == 0 { isWritten = false }
        }
        return isWritten
    }

    /// Translates the error for a leaf that no revision can follow, because a client gave it the highest generation.
    private static func possible<Value>(_ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let error as DocumentError {
            throw GatewayError(.badRequest, error.message, cause: error)
        }
    }
}
