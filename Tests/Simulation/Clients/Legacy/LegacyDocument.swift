import Documents

/// A document in a 1.x database: all branches, with the contents of their leaves.
struct LegacyDocument {
    var tree = RevisionTree()
    var contents: [RevisionID: Content] = [:]

    /// The local sequence of each revision with a content.
    var sequences: [RevisionID: Int] = [:]

    /// Revisions that a server is known to have.
    var synced: Set<RevisionID> = []

    var holding: Holding? {
        guard let winner = tree.winner, let content = contents[winner.id] else { return nil }
        return Holding(winner: winner.id, content: content, leaves: Set(tree.leaves.map(\.id)))
    }

    /// Discards the end of a branch, back to a revision of the server.
    mutating func discard(_ leaf: RevisionID) throws {
        var rest = RevisionTree()
        for other in tree.leaves where other.id != leaf { try rest.merge(tree.history(of: other.id), isDeleted: other.isDeleted) }
        let kept = Array(tree.history(of: leaf).drop { !synced.contains($0) })
        if let end = kept.first, !rest.contains(end) { try rest.merge(kept, isDeleted: tree.node(end)?.isDeleted ?? false) }
        tree = rest
        contents = contents.filter { rest.contains($0.key) }
        sequences = sequences.filter { rest.contains($0.key) }
    }
}
