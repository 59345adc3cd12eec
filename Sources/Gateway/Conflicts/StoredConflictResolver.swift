import Access
import Documents
import Logging
import Scripting
import Storage

/// Resolves conflicts by a function of the operator's, as soon as they have arrived.
///
/// The function runs outside of transactions: the writer never waits for a script. What it decides is written if the document is still as the
/// function saw it; else it is asked again. What it decides becomes a child of the winning revision, so that clients that know one line of
/// history only see that line go on, and the branches that have lost are closed by tombstones.
struct StoredConflictResolver: Sendable {
    /// As an administrator sees it.
    let keyspace: Keyspace
    let resolver: ScriptFunction<ConflictInput, ConflictResolution>

    /// How often the function is asked again because others were faster. A conflict that is left then is resolved with the next write.
    private static let patience = 8

    /// Never fails: the revisions that made the conflict are written already.
    func settle(_ id: String) async {
        do {
            for _ in 0..<Self.patience {
                let branches = try await branches(of: id)
                guard branches.count > 1 else { return }
                var decision = await decision(on: branches)
                if let error = try await refusal(of: decision) {
                    if error.code == .conflict { continue }
                    // A sync function may refuse what the resolver made; what has won already stands.
                    warn("what the conflict resolver decided is refused; the winning revision stays", id, error)
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

    /// Asks the function about the winner and each of the others in turn: what it has decided so far is one side, the next branch the other.
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

    /// Writes it all in one transaction; returns why something was refused.
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
