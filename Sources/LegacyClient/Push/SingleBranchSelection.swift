import Documents

/// Selects the leaves of a document to send to a server with single branches, such as a Sync Gateway with `allow_conflicts: false`.
///
/// Such a server accepts a child of its winner, and a tombstone on a branch that it has. It always refuses other branches, and tombstones of
/// branches that it never had; these leaves are withheld. If a withheld branch is the winner here, its content has to be put onto the server's
/// branch.
struct SingleBranchSelection: Hashable, Sendable {
    /// The maximum number of revisions of a branch that the server is asked for.
    private static let depth = 20

    /// Leaves that the server lacks and may accept.
    private(set) var offered: Set<RevisionID> = []

    /// Leaves that the server lacks and never accepts.
    private(set) var withheld: Set<RevisionID> = []

    /// The leaf of the server's winning branch, onto which the content of the local winner has to be put; `nil` if this is not needed.
    private(set) var serverLeaf: RevisionID?

    /// The local winner, if the server's branch continues from the same content. The server's branch is then the newer one, and the local
    /// winner's branch has to be closed.
    private(set) var superseded: RevisionID?

    /// - Parameters:
    ///   - tree: The local document's revisions.
    ///   - missing: The revisions of ``asked(of:)`` that the server lacks.
    init(_ tree: RevisionTree, missing: Set<RevisionID>) {
        let leaves = tree.leaves
        // For each leaf, the newest revision of its history that the server has. Those that are ancestors of others are not leaves on the server.
        let tips = Self.branches(of: tree).map { branch in
            branch.first { !missing.contains($0) }.flatMap { tree.node($0) }
        }
        let earlier = Set(tips.compactMap { $0 }.flatMap { tree.history(of: $0.id).dropFirst() })
        let ends = tips.compactMap { $0 }.filter { !earlier.contains($0.id) }
        let current = Self.winner(of: ends)
        // The server accepts only one of several leaves after the same revision.
        var continued: Set<RevisionID> = []
        for (index, (leaf, tip)) in zip(leaves, tips).enumerated() where missing.contains(leaf.id) {
            let isFirst = tip.map { !earlier.contains($0.id) && continued.insert($0.id).inserted } ?? (index == 0 && current == nil)
            let follows = isFirst && tip?.id == current
            let closes = isFirst && leaf.isDeleted && tip?.isDeleted == false
            if follows || closes {
                offered.insert(leaf.id)
            } else {
                withheld.insert(leaf.id)
                if index == 0, !leaf.isDeleted { serverLeaf = zip(leaves, tips).first { $1?.id == current }?.0.id }
            }
        }
        if let end = serverLeaf, let winner = leaves.first?.id, tree.goesOn(end, from: winner) {
            superseded = winner
            serverLeaf = nil
        }
        // A leaf after the server's branch is sent with the content that is put onto it. A tombstone alone would first delete the document on the
        // server.
        if let serverLeaf, offered.remove(serverLeaf) != nil { withheld.insert(serverLeaf) }
    }

    /// The winner on a server that has these leaves.
    private static func winner(of leaves: [RevisionTree.Node]) -> RevisionID? {
        leaves.max { $0.isDeleted != $1.isDeleted ? $0.isDeleted : $0.id < $1.id }?.id
    }

    /// The revisions that show which branches a server has: the leaves and their ancestors.
    static func asked(of tree: RevisionTree) -> [RevisionID] {
        var seen: Set<RevisionID> = []
        return branches(of: tree).joined().filter { seen.insert($0).inserted }
    }

    /// For each leaf: the leaf and the ancestors that belong to its branch only (the newest ones and the oldest one), then the newest shared
    /// ancestors. Several local branches may continue from one revision of the server.
    private static func branches(of tree: RevisionTree) -> [[RevisionID]] {
        let histories = tree.leaves.map { tree.history(of: $0.id) }
        var uses: [RevisionID: Int] = [:]
        for revision in histories.joined() { uses[revision, default: 0] += 1 }
        return histories.map { history in
            let own = Array(history.prefix { uses[$0] == 1 })
            return (own.count <= depth ? own : own.prefix(depth - 1) + own.suffix(1)) + history.dropFirst(own.count).prefix(depth)
        }
    }
}
