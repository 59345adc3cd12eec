extension RevisionTree {
    /// A revision and its ancestors, the newest first.
    ///
    /// - Parameters:
    ///   - id: The revision to begin with. The history of a revision that the tree does not have is empty.
    ///   - limit: The most revisions to return; nil for no limit.
    ///   - known: Revisions that the reader has. The history ends with the first of them, which it includes. The revision itself does
    ///     not end it.
    public func history(of id: RevisionID, limit: Int? = nil, stoppingAt known: Set<RevisionID> = []) -> [RevisionID] {
        guard var index = index(of: id) else { return [] }
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        var history = [id]
        while history.count < limit, entries[index].parent != Self.none {
            index = Int(entries[index].parent)
            history.append(entries[index].id)
            if !known.isEmpty, known.contains(entries[index].id) { break }
        }
        return history
    }

    /// Whether one revision is the other or one of its ancestors.
    public func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool {
        guard let target = index(of: ancestor), var index = index(of: id) else { return false }
        // A parent lies before its child, so the walk may end where it passes the target.
        while index > target, entries[index].parent != Self.none {
            index = Int(entries[index].parent)
        }
        return index == target
    }

    /// The revision that a 2.x+ client knows under this ID: the one of that ID, or else the one whose alias it is.
    public func lookup(modern id: RevisionID) -> Node? {
        if let index = index(of: id) { return node(at: index) }
        let index = entries.firstIndex { $0.id.generation == id.generation && !$0.id.isNative && $0.id.modernAlias == id }
        return index.map { node(at: $0) }
    }
}
