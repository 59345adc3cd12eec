import Documents
import Gateway

/// Pushes to servers that have a single branch of each document.
extension RevisionSender {
    /// Reads whether an earlier push found out that the server has single branches.
    func loadSingleBranchRecord() async throws {
        do {
            if try await SingleBranchRecord(remote.url, in: keyspace).isOneLine { remote.record { $0.refusesBranches = true } }
        } catch {
            throw ReplicationError(local: error)
        }
    }

    /// Determines which of the apparently refused revisions the server has, and records the results.
    ///
    /// An error in the response of `_bulk_docs` names only the document, so an accepted revision may appear refused together with a refused one.
    /// A server that refuses a revision because it is a branch has single branches.
    func resolveDoubtful(_ outcomes: inout PushOutcomes) async throws {
        let doubtful = outcomes.takeDoubtful()
        guard !doubtful.isEmpty else { return }
        let lacking = try await RevsDiffQuery.missing(doubtful.map { LocalRevisionReader.Leaf($0.content) }, of: remote)
        let refused = doubtful.filter { lacking[ExactString($0.content.id)]?.missing.contains($0.content.revision) ?? false }
        for item in doubtful where !refused.contains(where: { $0.content.isSame(as: item.content) }) { outcomes.record(item.content, nil) }
        let branches = refused.filter { $0.error.code == .conflict }
        for item in refused where item.error.code != .conflict { outcomes.record(item.content, item.error) }
        guard !branches.isEmpty else { return }
        if !remote.features.refusesBranches {
            try await recordSingleBranch()
            remote.record { $0.refusesBranches = true }
        }
        var offered = try await selectForSingleBranch(branches.map { LocalRevisionReader.Leaf($0.content) }, &outcomes)
        // The revision may follow the server's branch by this time, because a later tombstone of the batch has closed a branch there. If it is
        // refused again, the server has a newer revision that has not been pulled yet; pulling that one offers the document again.
        for item in branches {
            let leaf = LocalRevisionReader.Leaf(item.content)
            if offered.contains(leaf), !outcomes.retriesOnce(leaf) {
                offered.remove(leaf)
                outcomes.record(item.content, item.error)
            }
        }
        try await transmit(Array(offered), lacking, &outcomes)
    }

    /// Returns the leaves that a server with single branches may accept. The others are recorded here: they are either withheld, or their content
    /// is put onto the server's branch. The revision that does so is returned in their place.
    func selectForSingleBranch(
        _ leaves: [LocalRevisionReader.Leaf], _ outcomes: inout PushOutcomes
    ) async throws -> Set<LocalRevisionReader.Leaf> {
        let offers = try await offers(of: leaves)
        var passed: Set<LocalRevisionReader.Leaf> = []
        var carried: Set<ExactString> = []
        for leaf in leaves {
            let id = ExactString(leaf.id)
            guard let offer = offers[id], offer.tree.leaves.contains(where: { $0.id == leaf.revision }) else {
                // A newer revision has replaced the leaf, or the document is gone.
                outcomes.recordUnneeded(leaf)
                continue
            }
            if offer.selection.superseded == leaf.revision {
                if let error = try await close(leaf) { outcomes.record(leaf, error) } else { outcomes.recordUnneeded(leaf) }
            } else if let serverLeaf = offer.selection.serverLeaf, carried.insert(id).inserted {
                switch try await carry(offer.tree, onto: serverLeaf, leaf.id) {
                case .success(let child):
                    outcomes.recordUnneeded(leaf)
                    if let child { passed.insert(LocalRevisionReader.Leaf(id: leaf.id, revision: child)) }
                case .failure(let error): outcomes.record(leaf, error)
                }
            } else if offer.selection.offered.contains(leaf.revision) {
                passed.insert(leaf)
            } else {
                outcomes.recordUnneeded(leaf)
            }
        }
        return passed
    }

    private typealias Offer = (tree: RevisionTree, selection: SingleBranchSelection)

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

    /// Closes a branch that the server's branch has superseded.
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
        _ tree: RevisionTree, onto serverLeaf: RevisionID, _ id: String
    ) async throws -> Result<RevisionID?, ReplicationError> {
        guard let winner = tree.winner?.id else { return .success(nil) }
        do {
            return .success(try await keyspace.carry(winner, onto: serverLeaf, of: id))
        } catch let error as GatewayError {
            let reason =
                "The server has one branch a document, and the winning revision cannot be copied onto its revision \(serverLeaf): \(error.message)"
            return .failure(ReplicationError(.conflict, reason))
        } catch {
            throw ReplicationError(local: error)
        }
    }

    private func recordSingleBranch() async throws {
        do {
            try await SingleBranchRecord(remote.url, in: keyspace).record()
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
