import Documents

/// A document as a 1.x database keeps it: all branches, with the contents of their ends.
struct LegacyDocument {
    var tree = RevisionTree()
    var contents: [RevisionID: Content] = [:]

    /// The local sequence of each revision that has a content.
    var sequences: [RevisionID: Int] = [:]

    var holding: Holding? {
        guard let winner = tree.winner, let content = contents[winner.id] else { return nil }
        return Holding(winner: winner.id, content: content, leaves: Set(tree.leaves.map(\.id)))
    }
}
