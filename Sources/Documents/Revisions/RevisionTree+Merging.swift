extension RevisionTree {
    /// What a merge did.
    public enum MergeOutcome: Hashable, Sendable {
        /// The tree had the revision already and is unchanged.
        case known

        /// The revision was added.
        ///
        /// - Parameters:
        ///   - parent: The newest of its ancestors that the tree had before; nil if it had none of them.
        ///   - isNewBranch: Whether the tree has a leaf more than before, because the parent was no leaf or because the tree had other
        ///     revisions and none of the ancestors.
        case added(parent: RevisionID?, isNewBranch: Bool)
    }

    /// The most revisions that one history may have.
    public static let maximumHistoryCount = 10_000

    /// Adds a revision with its history: the first ancestor that the tree has is where it is grafted; those before it are added
    /// without bodies. Where the tree and the history disagree about older ancestors the tree is right.
    ///
    /// - Parameters:
    ///   - history: The revision itself and its ancestors, the newest first. Generations must descend; they may leave gaps.
    ///   - isDeleted: Whether the revision is a tombstone. Its ancestors are taken to be live.
    /// - Throws: ``DocumentError`` `badRevisions` if the history is empty, too long or not descending; the tree is unchanged then.
    @discardableResult
    public mutating func merge(_ history: [RevisionID], isDeleted: Bool) throws(DocumentError) -> MergeOutcome {
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
        return .added(parent: parentID, isNewBranch: isNewBranch)
    }

    /// Adds one revision after another, or as a root.
    ///
    /// - Throws: ``DocumentError`` `unknownRevision` if the tree does not have the parent, `badRevisions` if the child's generation is
    ///   not higher than its parent's or the tree has the child already; the tree is unchanged then.
    public mutating func insert(child id: RevisionID, of parent: RevisionID?, isDeleted: Bool) throws(DocumentError) {
        var parentIndex: Int?
        if let parent {
            parentIndex = index(of: parent)
            guard parentIndex != nil else { throw DocumentError(.unknownRevision, "revision \(parent) is not in the tree") }
            guard parent.generation < id.generation else {
                throw DocumentError(.badRevisions, "Bad _revisions: \(id) cannot follow \(parent)")
            }
        }
        guard !contains(id) else { throw DocumentError(.badRevisions, "Bad _revisions: \(id) is in the tree already") }
        add(id, parent: parentIndex, isDeleted: isDeleted)
    }

    /// Adds a revision that the tree does not have, and answers its place.
    @discardableResult
    private mutating func add(_ id: RevisionID, parent: Int?, isDeleted: Bool) -> Int {
        let place = place(of: id)
        if let parent { entries[parent].isLeaf = false }
        let entry = Entry(id: id, parent: parent.map { Int32($0) } ?? Self.none, isDeleted: isDeleted, isLeaf: true)
        entries.insert(entry, at: place)
        // The new revision's own parent lies before it and has not moved.
        for index in entries.indices.dropFirst(place + 1) where entries[index].parent >= place {
            entries[index].parent += 1
        }
        return place
    }
}
