extension RevisionTree {
    /// Removes old revisions, as CouchDB and Sync Gateway do.
    ///
    /// 1. A revision is removed if it is `depth` or more steps away from every leaf that descends from it. The rest of each branch is
    ///    unbroken; its oldest revision becomes a root. (So a branch that was longer than `depth` is detached from its sibling branches,
    ///    although those may still include the revision where it began.)
    /// 2. A branch that ends in a tombstone is removed entirely, down to where it leaves other branches, if its tombstone's generation is
    ///    more than `depth` below that of the live leaf with the lowest generation.
    /// 3. A revision in `keeping` stays, as do all its descendants.
    ///
    /// - Parameters:
    ///   - depth: How many revisions of each branch stay, at least 1.
    ///   - keeping: Revisions that must stay. Revisions that are not in the tree are ignored.
    /// - Returns: The removed revisions, in ascending order.
    @discardableResult
    package mutating func prune(depth: Int, keeping: Set<RevisionID> = []) -> [RevisionID] {
        let depth = max(1, depth)
        guard entries.count > 1 else { return [] }
        let stays = retained(depth: depth, keeping: keeping)
        guard stays.contains(false) else { return [] }
        var removed: [RevisionID] = []
        var kept: [Entry] = []
        var places = [Int32](repeating: Self.none, count: entries.count)
        for (index, var entry) in entries.enumerated() {
            guard stays[index] else {
                removed.append(entry.id)
                continue
            }
            places[index] = Int32(kept.count)
            entry.parent = entry.parent == Self.none ? Self.none : places[Int(entry.parent)]
            entry.isLeaf = true
            if entry.parent != Self.none { kept[Int(entry.parent)].isLeaf = false }
            kept.append(entry)
        }
        entries = kept
        return removed
    }

    /// For each entry, whether it stays.
    private func retained(depth: Int, keeping: Set<RevisionID>) -> [Bool] {
        var stays = [Bool](repeating: false, count: entries.count)
        // Parents precede children, so one forward walk marks all descendants.
        if !keeping.isEmpty {
            for (index, entry) in entries.enumerated() {
                stays[index] = keeping.contains(entry.id) || (entry.parent != Self.none && stays[Int(entry.parent)])
            }
        }
        // Children follow parents, so one backward walk computes all distances.
        let lowestLive = entries.first { $0.isLeaf && !$0.isDeleted }?.id.generation
        var distances = [Int](repeating: .max, count: entries.count)
        for (index, entry) in entries.enumerated().reversed() {
            if entry.isLeaf {
                let isAncient = entry.isDeleted && lowestLive.map { entry.id.generation < $0 - depth } ?? false
                distances[index] = isAncient ? .max : 0
            }
            if distances[index] < depth { stays[index] = true }
            if entry.parent != Self.none, distances[index] < .max {
                distances[Int(entry.parent)] = min(distances[Int(entry.parent)], distances[index] + 1)
            }
        }
        return stays
    }
}
