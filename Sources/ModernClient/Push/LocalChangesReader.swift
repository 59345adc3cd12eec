import Documents
import Gateway
import Storage

/// Determines the changes of the local feed to push to a server without versions.
struct LocalChangesReader: Sendable {
    /// The maximum number of ancestors in a change, for finding the server's revision among them.
    private static let ancestors = 20

    /// The server's revisions, as far as they are known.
    let remote: [String: RevisionName]

    /// Whether nothing has been pushed before. The first push assumes that the server has nothing, as LiteCore does. Later pushes assume
    /// that each document was changed once since.
    let isFirstPush: Bool

    func read(_ rows: [ChangeRow], in snapshot: KeyspaceSnapshot) throws -> [LocalFinding] {
        try rows.map { try find($0, in: snapshot) }
    }

    private func find(_ row: ChangeRow, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        // Design documents are never replicated.
        guard !row.isRemoval, !DocumentID.isDesign(row.id), let winner = RevisionID(row.revision) else { return .passed }
        let known = remote[row.id]?.tree
        let change = LocalChange(
            sequence: row.sequence.value, id: row.id, revision: winner.modernAlias, isDeleted: row.isDeleted, size: row.bodySize)
        if let error = ReplicatorError(impossible: change) {
            // A document that the server never had need not be deleted there.
            return change.isDeleted ? .unchanged : .refused(change, error)
        }
        if known == change.revision, !row.isDeleted { return .unchanged }
        if winner.generation == 1, known == nil { return .change(change) }
        guard let document = try snapshot.document(row.id), document.winner == winner else { return .passed }
        return find(change, document, known)
    }

    /// Re-examines a change with the server's revision known.
    func read(_ change: LocalChange, in snapshot: KeyspaceSnapshot) throws -> LocalFinding {
        guard let document = try snapshot.document(change.id) else { return .passed }
        return find(change, document, remote[change.id]?.tree)
    }

    /// Adds the other branch ends of a deleted document. The server may have a branch other than the local winner's, which remains live
    /// there unless its end is sent.
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
            // The server's branch was closed here in favour of the winner. The tombstone of that branch is not sent, because it would
            // delete the document on the server.
            guard document.winner.generation > node.id.generation, !change.isKnownElsewhere else { return .low(change, below: node.id) }
            return .change(graft(change, document.winner, tree, onto: node.id))
        }
        if let leaf = next {
            var found = self.change(change, leaf.id, tree, parent: known)
            found.isLosing = leaf.id != document.winner
            return .change(found)
        }
        // A document that is deleted on both sides is equal on both, whichever branch wins locally.
        if node.isDeleted, document.isDeleted { return .unchanged }
        return .conflict(change, remote: known)
    }

    /// The local winner as a child of the server's revision.
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
    /// The reason why no 2.x+ server can store a change; `nil` if a server can.
    init?(impossible change: LocalChange) {
        if !DocumentID.isAcceptableToModernClients(change.id) {
            let length = change.id.utf8.count, limit = DocumentID.maximumModernLength
            let fault = length > limit ? "has \(length) bytes, and 2.x+ accepts at most \(limit)" : "is not valid for 2.x+"
            self.init(.http(400), "The document's ID \(fault): write the document under another ID, and delete or purge this one")
        } else if change.version == nil, !change.revision.isNative {
            let generation = change.revision.generation
            self.init(.http(400), "2.x+ does not support generation \(generation): write the document under another ID, and purge this one")
        } else {
            return nil
        }
    }
}
