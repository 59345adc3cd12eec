extension RevisionTree {
    /// Takes away old revisions, as CouchDB and Sync Gateway do.
    ///
    /// 1. A revision goes if it is `depth` or more steps away from every leaf that descends from it. What is left of each branch is
    ///    unbroken; its oldest revision becomes a root. (So a branch that was longer than `depth` is cut off from the branches
    ///    beside it, though they may still have the revision where it began.)
    /// 2. A branch that ends in a tombstone goes altogether, up to where it leaves other branches, if its tombstone's generation is
    ///    lower by more than `depth` than that of the live leaf with the lowest generation.
    /// 3. A revision in `keeping` stays, and so does everything that descends from it.
    ///
    /// - Parameters:
    ///   - depth: How many revisions of each branch stay, at least 1.
    ///   - keeping: Revisions that must stay. Those that the tree does not have are ignored.
    /// - Returns: The revisions that were removed, in ascending order.
    @discardableResult
    public mutating func prune(depth: Int, keeping: Set<RevisionID> = []) -> [RevisionID] {
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

    /// Which entries stay.
    private func retained(depth: Int, keeping: Set<RevisionID>) -> [Bool] {
        var stays = [Bool](repeating: false, count: entries.count)
        // Parents come first, so that being kept passes down the branches in one walk.
        if !keeping.isEmpty {
            for (index, entry) in entries.enumerated() {
                stays[index] = keeping.contains(entry.id) || (entry.parent != Self.none && stays[Int(entry.parent)])
            }
        }
        // Children come last, so that distances pass up in one walk back.
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
