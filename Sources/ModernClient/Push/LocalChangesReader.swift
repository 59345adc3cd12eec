import Documents
import Gateway
import Storage

/// Finds out what of the local feed the server is to get.
struct LocalChangesReader: Sendable {
    /// How many ancestors a change carries, to find the one that the server has.
    private static let ancestors = 20

    /// The server's revisions as far as they are known.
    let remote: [String: RevisionName]

    /// Whether nothing has been pushed before. Then the server is thought to have nothing, as LiteCore thinks, else what is here was
    /// changed once since.
    let isFirstPush: Bool

    func read(_ rows: [ChangeRow], in snapshot: KeyspaceSnapshot) throws -> [LocalFinding] {
        try rows.map { try find($0, in: snapshot) }
    }

    private func find(_ row: ChangeRow, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        // Design documents are the server's own.
        guard !row.isRemoval, !DocumentID.isDesign(row.id), let winner = RevisionID(row.revision) else { return .passed }
        let known = remote[row.id]?.tree
        let change = LocalChange(
            sequence: row.sequence.value, id: row.id, revision: winner.modernAlias, isDeleted: row.isDeleted, size: row.bodySize)
        if let error = ReplicatorError(impossible: change) {
            // What the server never had need not be deleted there.
            return change.isDeleted ? .unchanged : .refused(change, error)
        }
        if known == change.revision, !row.isDeleted { return .unchanged }
        if winner.generation == 1, known == nil { return .change(change) }
        guard let document = try snapshot.document(row.id), document.winner == winner else { return .passed }
        return find(change, document, known)
    }

    /// Looks at a change again in the light of the server's revision.
    func read(_ change: LocalChange, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        guard let document = try snapshot.document(change.id) else { return .passed }
        return find(change, document, remote[change.id]?.tree)
    }

    /// Of a document that is deleted, each branch ends here. The server may have another one than the winner, and it stays alive there unless its end is told.
    private func find(_ change: LocalChange, _ document: DocumentView, _ known: RevisionID?) -> LocalFinding {
        let finding = findWinner(change, document, known)
        guard document.isDeleted, document.tree.leaves.count > 1 else { return finding }
        var endings = endings(change, document, besides: known)
        switch finding {
        case .change(var found) where !found.isLosing:
            found.endings = endings
            return .change(found)
        case .unchanged where !endings.isEmpty:
            var first = endings.removeFirst()
            first.endings = endings
            return .change(first)
        default: return finding
        }
    }

    private func endings(_ change: LocalChange, _ document: DocumentView, besides known: RevisionID?) -> [LocalChange] {
        document.tree.leaves.filter { $0.isDeleted && $0.id != document.winner && $0.id.modernAlias != known && $0.id.modernAlias.isNative }
            .compactMap { leaf in
                var ending = self.change(change, leaf.id, document.tree, parent: nil)
                guard let parent = ending.ancestors.first else { return nil }
                (ending.parent, ending.otherParents, ending.isEnding) = (.tree(parent), [], true)
                return ending
            }
    }

    private func findWinner(_ change: LocalChange, _ document: DocumentView, _ known: RevisionID?) -> LocalFinding {
        let tree = document.tree
        guard let known else { return .change(self.change(change, document.winner, tree, parent: nil)) }
        guard let node = tree.lookup(modern: known) else { return .awaited(change) }
        if node.id == document.winner { return .unchanged }
        let next = tree.leaves.first { $0.id != node.id && tree.isAncestor(node.id, of: $0.id) }
        if !document.isDeleted, next?.isDeleted == true {
            // The server's branch was closed here for what has won. The server is not told that it ends, which would delete the document there.
            guard document.winner.generation > node.id.generation, !change.isKnownElsewhere else { return .low(change, below: node.id) }
            return .change(graft(change, document.winner, tree, onto: node.id))
        }
        if let leaf = next {
            var found = self.change(change, leaf.id, tree, parent: known)
            found.isLosing = leaf.id != document.winner
            return .change(found)
        }
        // A document that is deleted on both sides is the same on both, whichever branch wins here.
        if node.isDeleted, document.isDeleted { return .unchanged }
        return .conflict(change, remote: known)
    }

    /// What has won, as the child of the server's revision.
    private func graft(_ change: LocalChange, _ winner: RevisionID, _ tree: RevisionTree, onto node: RevisionID) -> LocalChange {
        var found = LocalChange(
            sequence: change.sequence, id: change.id, revision: winner.modernAlias, isDeleted: false, size: change.size)
        found.isGrafted = true
        found.parent = .tree(node.modernAlias)
        found.ancestors = tree.history(of: node, limit: Self.ancestors).map(\.modernAlias)
        return found
    }

    private func change(_ change: LocalChange, _ leaf: RevisionID, _ tree: RevisionTree, parent: RevisionID?) -> LocalChange {
        let ancestors = tree.history(of: leaf, limit: Self.ancestors + 1).dropFirst().map(\.modernAlias)
        var found = LocalChange(
            sequence: change.sequence, id: change.id, revision: leaf.modernAlias, isDeleted: tree.node(leaf)?.isDeleted ?? false,
            size: change.size)
        found.ancestors = ancestors
        if let parent {
            found.parent = .tree(parent)
        } else if isFirstPush {
            found.otherParents = ancestors.map { .tree($0) }
        } else {
            found.parent = ancestors.first.map { .tree($0) }
            found.otherParents = ancestors.dropFirst().map { .tree($0) }
            found.otherParents.append(nil)
        }
        return found
    }
}

extension ReplicatorError {
    /// Why no 2.x+ server can take a change, whatever it is asked; `nil` if one can.
    init?(impossible change: LocalChange) {
        if !DocumentID.isAcceptableToModernClients(change.id) {
            let length = change.id.utf8.count, limit = DocumentID.maximumModernLength
            let fault = length > limit ? "has \(length) bytes, and 2.x+ takes \(limit) at most" : "is none for 2.x+"
            self.init(.http(400), "The document's ID \(fault): write the document under another ID, and delete or purge this one")
        } else if change.version == nil, !change.revision.isNative {
            let generation = change.revision.generation
            self.init(.http(400), "2.x+ cannot count to generation \(generation): write the document under another ID, and purge this one")
        } else {
            return nil
        }
    }
}
