import Documents

/// A slow and simple revision tree: a dictionary, and the rules as they are worded.
struct TreeModel {
    struct Revision: Hashable {
        var parent: RevisionID?
        var isDeleted: Bool
    }

    private(set) var revisions: [RevisionID: Revision] = [:]

    func isLeaf(_ id: RevisionID) -> Bool {
        !revisions.values.contains { $0.parent == id }
    }

    var leaves: [RevisionID] {
        revisions.keys.filter(isLeaf).sorted { left, right in
            let leftDeleted = revisions[left]?.isDeleted ?? false
            let rightDeleted = revisions[right]?.isDeleted ?? false
            if leftDeleted != rightDeleted { return rightDeleted }
            if left.generation != right.generation { return left.generation > right.generation }
            return Array(left.digest.utf8).lexicographicallyPrecedes(Array(right.digest.utf8)) == false
        }
    }

    func history(of id: RevisionID) -> [RevisionID] {
        var history: [RevisionID] = []
        var next: RevisionID? = revisions[id] == nil ? nil : id
        while let current = next {
            history.append(current)
            next = revisions[current]?.parent
        }
        return history
    }

    mutating func merge(_ history: [RevisionID], isDeleted: Bool) -> RevisionTree.MergeOutcome {
        if revisions[history[0]] != nil { return .known }
        let known = history.first { revisions[$0] != nil }
        let isNewBranch = known.map { !isLeaf($0) } ?? !revisions.isEmpty
        for (index, id) in history.enumerated() {
            if id == known { break }
            let parent = index + 1 < history.count ? history[index + 1] : nil
            revisions[id] = Revision(parent: parent, isDeleted: isDeleted && index == 0)
        }
        return .added(parent: known, isNewBranch: isNewBranch)
    }

    mutating func prune(depth: Int, keeping: Set<RevisionID>) -> Set<RevisionID> {
        let live = leaves.filter { revisions[$0]?.isDeleted == false }.map(\.generation).min()
        var stays: Set<RevisionID> = []
        for leaf in leaves {
            let isAncient = revisions[leaf]?.isDeleted == true && live.map { leaf.generation < $0 - depth } == true
            if !isAncient { stays.formUnion(history(of: leaf).prefix(depth)) }
        }
        for id in revisions.keys where !keeping.isDisjoint(with: history(of: id)) { stays.insert(id) }
        let removed = Set(revisions.keys).subtracting(stays)
        revisions = revisions.filter { stays.contains($0.key) }
        for (id, revision) in revisions {
            if let parent = revision.parent, removed.contains(parent) { revisions[id]?.parent = nil }
        }
        return removed
    }
}
