import Documents
import Gateway

/// Servers that keep one line of revisions of each document.
extension RevisionSender {
    /// Takes up what was learned of the server before.
    func recall() async throws {
        do {
            if try await SingleBranchRecord(remote.url, in: keyspace).isOneLine { remote.note { $0.refusesBranches = true } }
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// Finds out what the server has of revisions that it seems to have refused, and notes what has become of them.
    ///
    /// An error in the answer of `_bulk_docs` names the document alone, so a good revision may seem to be refused with a bad one. And whoever
    /// refuses a branch for being one keeps one line.
    func resolveDoubtful(_ outcomes: inout PushOutcomes) async throws {
        let doubtful = outcomes.takeDoubtful()
        guard !doubtful.isEmpty else { return }
        let lacking = try await RevsDiffQuery.missing(doubtful.map { LocalRevisionReader.Leaf($0.content) }, of: remote)
        let refused = doubtful.filter { lacking[ExactString($0.content.id)]?.missing.contains($0.content.revision) ?? false }
        for item in doubtful where !refused.contains(where: { $0.content.isSame(as: item.content) }) { outcomes.note(item.content, nil) }
        let branches = refused.filter { $0.error.code == .conflict }
        for item in refused where item.error.code != .conflict { outcomes.note(item.content, item.error) }
        guard !branches.isEmpty else { return }
        if !remote.features.refusesBranches {
            try await rememberOneLine()
            remote.note { $0.refusesBranches = true }
        }
        var offered = try await onLine(branches.map { LocalRevisionReader.Leaf($0.content) }, &outcomes)
        // It may follow the server's line by now, because a tombstone behind it in the batch has ended a branch there. If it is refused again, the line has gone on,
        // and that has not come here yet; what comes makes the document be looked at again.
        for item in branches {
            let leaf = LocalRevisionReader.Leaf(item.content)
            if offered.contains(leaf), !outcomes.retriesOnce(leaf) {
                offered.remove(leaf)
                outcomes.note(item.content, item.error)
            }
        }
        try await transmit(Array(offered), lacking, &outcomes)
    }

    /// Which of these leaves a server with one line may take. Others are dealt with: they are left out, or their content is put onto its line, and
    /// the revision that does so is to be sent in their place.
    func onLine(_ leaves: [LocalRevisionReader.Leaf], _ outcomes: inout PushOutcomes) async throws -> Set<LocalRevisionReader.Leaf> {
        let offers = try await offers(of: leaves)
        var passed: Set<LocalRevisionReader.Leaf> = []
        var carried: Set<ExactString> = []
        for leaf in leaves {
            let id = ExactString(leaf.id)
            guard let offer = offers[id], offer.tree.leaves.contains(where: { $0.id == leaf.revision }) else {
                // Something newer has followed, or the document is gone.
                outcomes.noteUnneeded(leaf)
                continue
            }
            if offer.what.overtaken == leaf.revision {
                if let error = try await close(leaf) { outcomes.note(leaf, error) } else { outcomes.noteUnneeded(leaf) }
            } else if let line = offer.what.line, carried.insert(id).inserted {
                switch try await carry(offer.tree, onto: line, leaf.id) {
                case .success(let child):
                    outcomes.noteUnneeded(leaf)
                    if let child { passed.insert(LocalRevisionReader.Leaf(id: leaf.id, revision: child)) }
                case .failure(let error): outcomes.note(leaf, error)
                }
            } else if offer.what.offered.contains(leaf.revision) {
                passed.insert(leaf)
            } else {
                outcomes.noteUnneeded(leaf)
            }
        }
        return passed
    }

    private typealias Offer = (tree: RevisionTree, what: SingleBranchSelection)

    private func offers(of leaves: [LocalRevisionReader.Leaf]) async throws -> [ExactString: Offer] {
        var trees: [ExactString: RevisionTree] = [:]
        do {
            trees = try await keyspace.read { snapshot in
                try leaves.reduce(into: [:]) { $0[ExactString($1.id)] = try snapshot.document($1.id)?.tree }
            }
        } catch {
            throw ReplicationError(local: error)
        }
        guard !trees.isEmpty else { return [:] }
        let asked = trees.map { (id: $0.key.string, revisions: SingleBranchSelection.asked(of: $0.value)) }
        let lacking = try RevsDiffQuery.read(try await remote.json(RevsDiffQuery.request(asked)))
        return trees.reduce(into: [:]) { found, item in
            found[item.key] = (item.value, SingleBranchSelection(item.value, missing: Set(lacking[item.key]?.missing ?? [])))
        }
    }

    /// Closes a branch that the server's line has overtaken.
    private func close(_ leaf: LocalRevisionReader.Leaf) async throws -> ReplicationError? {
        do {
            try await keyspace.close(leaf.revision, of: leaf.id)
            return nil
        } catch let error as GatewayError {
            let reason = "The server's revision follows this one, whose branch cannot be closed here: \(error.message)"
            return ReplicationError(.conflict, reason)
        } catch {
            throw ReplicationError(local: error)
        }
    }

    private func carry(
        _ tree: RevisionTree, onto line: RevisionID, _ id: String
    ) async throws -> Result<RevisionID?, ReplicationError> {
        guard let winner = tree.winner?.id else { return .success(nil) }
        do {
            return .success(try await keyspace.carry(winner, onto: line, of: id))
        } catch let error as GatewayError {
            let reason = "The server has no branches, and what has won cannot be put onto its revision \(line): \(error.message)"
            return .failure(ReplicationError(.conflict, reason))
        } catch {
            throw ReplicationError(local: error)
        }
    }

    private func rememberOneLine() async throws {
        do {
            try await SingleBranchRecord(remote.url, in: keyspace).note()
        } catch {
            throw ReplicationError(local: error)
        }
    }
}

extension RevisionContent {
    fileprivate func isSame(as other: RevisionContent) -> Bool {
        revision == other.revision && ExactString(id) == ExactString(other.id)
    }
}
