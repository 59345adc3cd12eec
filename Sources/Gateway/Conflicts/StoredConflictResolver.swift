import Access
import Documents
import Logging
import Scripting
import Storage

/// Resolves conflicts with the operator's JavaScript function, as soon as they arrive.
///
/// - The function runs outside of transactions, so the writer never waits for a script. If the document changes during the call, the function is
///   called again.
/// - The result becomes a child of the winning revision, so that clients with a single branch receive it as an update. Tombstones close the losing
///   branches.
struct StoredConflictResolver: Sendable {
    /// An administrator's keyspace.
    let keyspace: Keyspace
    let resolver: ScriptFunction<ConflictInput, ConflictResolution>

    /// The maximum number of calls for one document when concurrent writes intervene. The next write resolves a conflict that remains.
    private static let maximumAttempts = 8

    /// Resolves a document's conflict. Never throws: the conflicting revisions are already written.
    func resolve(_ id: String) async {
        do {
            for _ in 0..<Self.maximumAttempts {
                let branches = try await branches(of: id)
                guard branches.count > 1 else { return }
                var decision = await decision(on: branches)
                if let error = try await refusal(of: decision) {
                    if error.code == .conflict { continue }
                    // A sync function may refuse the resolver's document; the winner was accepted before.
                    warn("the conflict resolver's result is refused; the winning revision stays", id, error)
                    decision = ConflictDecision(keeping: branches)
                    guard try await refusal(of: decision)?.code == .conflict else { return }
                } else {
                    return
                }
            }
        } catch {
            warn("a conflict cannot be resolved now; the next write of the document resolves it", id, error)
        }
    }

    /// The live leaves, the winner first.
    private func branches(of id: String) async throws -> [RevisionContent] {
        try await keyspace.read { snapshot in
            guard let document = try snapshot.document(id, followingMoves: true) else { return [] }
            return try document.tree.leaves.filter { !$0.isDeleted }.compactMap { try document.content(of: $0.id) }
        }
    }

    /// Calls the function with the winner and each other branch in turn. The result so far is the local side, the next branch the remote side.
    private func decision(on branches: [RevisionContent]) async -> ConflictDecision {
        var decision = ConflictDecision(keeping: branches)
        for branch in branches.dropFirst() {
            let id = branch.id
            do {
                let input = ConflictInput(
                    documentID: id, localDocument: decision.json, remoteDocument: Self.json(of: branch),
                    localRevision: decision.revision, remoteRevision: "\(branch.revision)")
                switch try await keyspace.database.scripts.call(resolver, input) {
                case .local: break
                case .remote: decision.outcome = .branch(branch)
                case .merged(let json): try decision.merge(json)
                case .delete: decision.outcome = .deleted
                }
            } catch {
                warn("the conflict resolver failed; the winning revision stays", id, error)
            }
        }
        return decision
    }

    static func json(of branch: RevisionContent) -> [UInt8] {
        ScriptedDocument.json(branch.id, branch.revision, branch.isDeleted, branch.body.properties, branch.body.attachments)
    }

    /// Writes the resolution in one transaction; returns the first error.
    private func refusal(of decision: ConflictDecision) async throws -> GatewayError? {
        for result in try await keyspace.store(try decision.writes()) {
            if case .failure(let error) = result { return error }
        }
        return nil
    }

    private func warn(_ message: String, _ id: String, _ error: any Error) {
        keyspace.database.logger.warning("\(message)", metadata: ["document": "\(id)", "error": "\(error)"])
    }
}
