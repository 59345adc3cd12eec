extension RevisionTree {
    /// The result of a merge.
    package enum MergeOutcome: Hashable, Sendable {
        /// The tree already had the revision and is unchanged.
        case known

        /// The revision was added.
        ///
        /// - Parameters:
        ///   - parent: The newest of its ancestors that the tree had before; nil if there was none.
        ///   - isNewBranch: Whether the tree has one more leaf than before: the parent was not a leaf, or the tree had other revisions but
        ///     none of the ancestors.
        case added(parent: RevisionID?, isNewBranch: Bool)
    }

    /// The maximum number of revisions in one history.
    package static let maximumHistoryCount = 10_000

    /// Adds a revision with its history, grafted onto the newest ancestor that the tree has.
    ///
    /// Missing ancestors are added without bodies. If the tree and the history disagree about older ancestors, the tree is right.
    ///
    /// - Parameters:
    ///   - history: The revision itself and its ancestors, newest first. Generations must descend, possibly with gaps.
    ///   - isDeleted: Whether the revision is a tombstone. Its missing ancestors are added as live.
    ///   - joinsBranches: Whether a root of the tree becomes the descendant of an older revision of the tree if it is so in the history, as in
    ///     CouchDB. The tree of a server that was restored from a backup may have got two parts of one branch, each as a branch of its own.
    /// - Throws: ``DocumentError`` `badRevisions` if the history is empty, too long or not descending; the tree is unchanged then.
    @discardableResult
    package mutating func merge(
        _ history: [RevisionID], isDeleted: Bool, joinsBranches: Bool = false
    ) throws(DocumentError) -> MergeOutcome {
        try RevisionHistory.validate(history)
        var firstKnown = 0
        var parent: Int?
        while firstKnown < history.count {
            parent = index(of: history[firstKnown])
            if parent != nil { break }
            firstKnown += 1
        }
        guard firstKnown > 0 else { return .known }
        let parentID = parent.map { entries[$0].id }
        let isNewBranch = parent.map { !entries[$0].isLeaf } ?? !isEmpty
        entries.reserveCapacity(entries.count + firstKnown)
        for position in (0..<firstKnown).reversed() {
            parent = add(history[position], parent: parent, isDeleted: isDeleted && position == 0)
        }
        if joinsBranches { join(history) }
        return .added(parent: parentID, isNewBranch: isNewBranch)
    }

    /// Makes each root that is in the history the descendant of the next older revision that the tree has.
    private mutating func join(_ history: [RevisionID]) {
        var root: Int?
        for (position, id) in history.enumerated() where contains(id) {
            if let child = root, var parent = index(of: id) {
                for missing in history[(child + 1)..<position].reversed() { parent = add(missing, parent: parent, isDeleted: false) }
                // A parent precedes its child, and additions have moved the child.
                if let index = index(of: history[child]) {
                    entries[index].parent = Int32(parent)
                    entries[parent].isLeaf = false
                }
            }
            root = index(of: id).flatMap { entries[$0].parent == Self.none ? position : nil }
        }
    }

    /// Adds one revision as the child of another, or as a root.
    ///
    /// - Throws: ``DocumentError`` `unknownRevision` if the parent is not in the tree; `badRevisions` if the child's generation is not higher
    ///   than its parent's or the child is in the tree already. The tree is unchanged then.
    package mutating func insert(child id: RevisionID, of parent: RevisionID?, isDeleted: Bool) throws(DocumentError) {
        var parentIndex: Int?
        if let parent {
            parentIndex = index(of: parent)
            guard parentIndex != nil else { throw DocumentError(.unknownRevision, "revision \(parent) is not in the tree") }
            guard parent.generation < id.generation else {
                throw DocumentError(.badRevisions, "Bad _revisions: \(id) cannot follow \(parent)")
            }
        }
        guard !contains(id) else { throw DocumentError(.badRevisions, "Bad _revisions: \(id) is already in the tree") }
        add(id, parent: parentIndex, isDeleted: isDeleted)
    }

    /// Adds a revision that is not in the tree, and returns its index.
    @discardableResult
    private mutating func add(_ id: RevisionID, parent: Int?, isDeleted: Bool) -> Int {
        let place = place(of: id)
        if let parent { entries[parent].isLeaf = false }
        let entry = Entry(id: id, parent: parent.map { Int32($0) } ?? Self.none, isDeleted: isDeleted, isLeaf: true)
        entries.insert(entry, at: place)
        // The new revision's parent precedes it, so the parent's index is unchanged.
        for index in entries.indices.dropFirst(place + 1) where entries[index].parent >= place {
            entries[index].parent += 1
        }
        return place
    }
}
