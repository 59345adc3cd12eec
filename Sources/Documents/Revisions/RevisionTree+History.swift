extension RevisionTree {
    /// A revision and its ancestors, newest first.
    ///
    /// - Parameters:
    ///   - id: The revision to begin with. The history of a revision that is not in the tree is empty.
    ///   - limit: The maximum number of revisions to return; nil for no limit.
    ///   - known: Revisions that the reader has. The history ends with the first ancestor among them, included. The revision itself does not
    ///     end it.
    package func history(of id: RevisionID, limit: Int? = nil, stoppingAt known: Set<RevisionID> = []) -> [RevisionID] {
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
    package func isAncestor(_ ancestor: RevisionID, of id: RevisionID) -> Bool {
        guard let target = index(of: ancestor), var index = index(of: id) else { return false }
        // A parent precedes its child, so the walk can end after passing the target.
        while index > target, entries[index].parent != Self.none {
            index = Int(entries[index].parent)
        }
        return index == target
    }

    /// The revision that a 2.x+ client knows by this ID: the revision with this ID, or else the revision with this alias.
    package func lookup(modern id: RevisionID) -> Node? {
        if let index = index(of: id) { return node(at: index) }
        let index = entries.firstIndex { $0.id.generation == id.generation && !$0.id.isNative && $0.id.modernAlias == id }
        return index.map { node(at: $0) }
    }

    /// The winning revision: a live leaf before a deleted one, then the higher generation, then the higher digest by byte order. Nil only
    /// for an empty tree.
    package var winner: Node? {
        guard let last = entries.indices.last else { return nil }
        return node(at: entries.lastIndex { $0.isLeaf && !$0.isDeleted } ?? last)
    }

    /// The leaves in winning order, the winner first.
    package var leaves: [Node] {
        let descending = entries.indices.reversed().filter { entries[$0].isLeaf }
        let live = descending.filter { !entries[$0].isDeleted }
        let deleted = descending.filter { entries[$0].isDeleted }
        return (live + deleted).map { node(at: $0) }
    }

    /// The number of leaves, including deleted ones.
    package var leafCount: Int {
        entries.count { $0.isLeaf }
    }

    /// Whether more than one leaf is live.
    package var isConflicted: Bool {
        var live = 0
        for entry in entries where entry.isLeaf && !entry.isDeleted { live += 1 }
        return live > 1
    }

    /// Leaves of a lower generation, newest first: revisions that a peer may have and from which a missing revision may descend.
    ///
    /// Only leaves are included. A peer omits the attachments of the named ancestors, and only leaves are certain to have theirs here.
    package func possibleAncestors(of id: RevisionID, limit: Int) -> [RevisionID] {
        var ancestors: [RevisionID] = []
        for entry in entries.reversed() where entry.isLeaf && entry.id.generation < id.generation {
            guard ancestors.count < limit else { break }
            ancestors.append(entry.id)
        }
        return ancestors
    }

    /// The revisions of lower generations than this one's, newest first.
    package func revisions(before id: RevisionID, limit: Int) -> [RevisionID] {
        entries.lazy.reversed().map(\.id).filter { $0.generation < id.generation }.prefix(limit).map { $0 }
    }
}
