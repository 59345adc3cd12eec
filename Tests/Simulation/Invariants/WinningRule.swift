import Documents

/// An independent implementation of the winner: live before deleted, then the longer history, then the higher digest.
enum WinningRule {
    static func winner(of tree: RevisionTree) -> RevisionID? {
        tree.leaves.max { a, b in
            if a.isDeleted != b.isDeleted { return a.isDeleted }
            if a.id.generation != b.id.generation { return a.id.generation < b.id.generation }
            return a.id.digest.utf8.lexicographicallyPrecedes(b.id.digest.utf8)
        }?.id
    }
}
