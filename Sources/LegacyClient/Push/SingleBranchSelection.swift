import Documents

/// What is sent of a document to a server that keeps one line of revisions, as Sync Gateway does with `allow_conflicts: false`.
///
/// Such a server takes a child of what has won there, and a tombstone on a branch that it has. It refuses other branches, and tombstones of branches that it never
/// had, however often they are sent. So these are left out. Where such a branch has won here, its content has to be put onto the server's line.
struct SingleBranchSelection: Hashable, Sendable {
    /// Of how many revisions of a branch the server is asked whether it has them, at most.
    private static let depth = 20

    /// Leaves that the server lacks, and may take.
    private(set) var offered: Set<RevisionID> = []

    /// Leaves that the server lacks, and never takes.
    private(set) var withheld: Set<RevisionID> = []

    /// The leaf of the branch that has won on the server, onto which what has won here is to be put; `nil` where it need not be.
    private(set) var line: RevisionID?

    /// What has won here, if the server's line goes on from the same content. Then the line is the newer one, and this branch is to be closed.
    private(set) var overtaken: RevisionID?

    /// - Parameters:
    ///   - tree: The document as it is here.
    ///   - missing: Which of ``asked(of:)`` the server lacks.
    init(_ tree: RevisionTree, missing: Set<RevisionID>) {
        let leaves = tree.leaves
        // The newest revision on the way to each leaf that the server has. Those before others of them are no leaves there.
        let tips = Self.branches(of: tree).map { branch in
            branch.first { !missing.contains($0) }.flatMap { tree.node($0) }
        }
        let earlier = Set(tips.compactMap { $0 }.flatMap { tree.history(of: $0.id).dropFirst() })
        let ends = tips.compactMap { $0 }.filter { !earlier.contains($0.id) }
        let current = Self.winner(of: ends)
        // Of several leaves behind one revision of the server's it takes one.
        var continued: Set<RevisionID> = []
        for (index, (leaf, tip)) in zip(leaves, tips).enumerated() where missing.contains(leaf.id) {
            let isFirst = tip.map { !earlier.contains($0.id) && continued.insert($0.id).inserted } ?? (index == 0 && current == nil)
            let follows = isFirst && tip?.id == current
            let closes = isFirst && leaf.isDeleted && tip?.isDeleted == false
            if follows || closes {
                offered.insert(leaf.id)
            } else {
                withheld.insert(leaf.id)
                if index == 0, !leaf.isDeleted { line = zip(leaves, tips).first { $1?.id == current }?.0.id }
            }
        }
        if let end = line, let winner = leaves.first?.id, tree.goesOn(end, from: winner) {
            overtaken = winner
            line = nil
        }
        // What follows the server's line goes along with what is put onto it. A tombstone alone would delete the document there first.
        if let line, offered.remove(line) != nil { withheld.insert(line) }
    }

    /// What has won on a server that has these leaves.
    private static func winner(of leaves: [RevisionTree.Node]) -> RevisionID? {
        leaves.max { $0.isDeleted != $1.isDeleted ? $0.isDeleted : $0.id < $1.id }?.id
    }

    /// The revisions that tell which branches a server has: the leaves, and those before them.
    static func asked(of tree: RevisionTree) -> [RevisionID] {
        var seen: Set<RevisionID> = []
        return branches(of: tree).joined().filter { seen.insert($0).inserted }
    }

    /// For each leaf, itself and the revisions before it that are its alone, the newest and the oldest of them; then the newest that it shares with others:
    /// here several branches may go on from one revision of the server's.
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
