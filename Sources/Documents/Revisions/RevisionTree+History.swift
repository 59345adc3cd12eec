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

    /// The winning revision: a live leaf before a deleted one, then the higher generation, then the higher digest by byte order. Nil only
    /// for an empty tree.
    public var winner: Node? {
        guard let last = entries.indices.last else { return nil }
        return node(at: entries.lastIndex { $0.isLeaf && !$0.isDeleted } ?? last)
    }

    /// The leaves in the order of winning, the winner first.
    public var leaves: [Node] {
        let descending = entries.indices.reversed().filter { entries[$0].isLeaf }
        let live = descending.filter { !entries[$0].isDeleted }
        let deleted = descending.filter { entries[$0].isDeleted }
        return (live + deleted).map { node(at: $0) }
    }

    /// How many leaves the tree has, deleted ones included.
    public var leafCount: Int {
        entries.count { $0.isLeaf }
    }

    /// Whether more than one leaf is live.
    public var isConflicted: Bool {
        var live = 0
        for entry in entries where entry.isLeaf && !entry.isDeleted { live += 1 }
        return live > 1
    }

    /// The revisions that a peer may hold and that a revision which is missing here may descend from: leaves of a lower generation, the
    /// newest first.
    ///
    /// Leaves only, because a peer leaves out the attachments of what we name, and only leaves surely have theirs.
    public func possibleAncestors(of id: RevisionID, limit: Int) -> [RevisionID] {
        var ancestors: [RevisionID] = []
        for entry in entries.reversed() where entry.isLeaf && entry.id.generation < id.generation {
            guard ancestors.count < limit else { break }
            ancestors.append(entry.id)
        }
        return ancestors
    }

    /// The revisions of a lower generation than this one's, the newest first.
    public func revisions(before id: RevisionID, limit: Int) -> [RevisionID] {
        entries.lazy.reversed().map(\.id).filter { $0.generation < id.generation }.prefix(limit).map { $0 }
    }
}
