import Documents
import Testing

@Suite("Revision trees")
struct RevisionTreeTests {
    private func tree(_ histories: (history: [RevisionID], isDeleted: Bool)...) throws -> RevisionTree {
        var tree = RevisionTree()
        for (history, isDeleted) in histories { try tree.merge(history, isDeleted: isDeleted) }
        return tree
    }

    @Test("An empty tree has no winner and no leaves")
    func empty() throws {
        let tree = RevisionTree()
        #expect(tree.winner == nil)
        #expect(tree.leaves.isEmpty)
        #expect(tree.isEmpty)
        #expect(!tree.isConflicted)
        #expect(try RevisionTree(encoded: tree.encoded()) == tree)
        #expect(try tree.history(of: revision("1-a")).isEmpty)
    }

    @Test("A merge returns the new revisions")
    func outcomes() throws {
        var tree = RevisionTree()
        #expect(try tree.merge(revisions("2-b", "1-a"), isDeleted: false) == .added(parent: nil, isNewBranch: false))
        #expect(try tree.merge(revisions("2-b", "1-a"), isDeleted: false) == .known)
        #expect(try tree.merge(revisions("1-a"), isDeleted: false) == .known)
        #expect(try tree.merge(revisions("3-c", "2-b"), isDeleted: false) == .added(parent: revision("2-b"), isNewBranch: false))
        #expect(try tree.merge(revisions("3-d", "2-b"), isDeleted: false) == .added(parent: revision("2-b"), isNewBranch: true))
        #expect(try tree.merge(revisions("1-z"), isDeleted: false) == .added(parent: nil, isNewBranch: true))
        #expect(tree.leafCount == 3)
        #expect(tree.isConflicted)
    }

    @Test("A history joins the parts of a branch where that is wanted, with the revisions between them; otherwise they stay branches")
    func parts() throws {
        // A server that was restored got the end of a branch first.
        let parts = try tree((revisions("5-e", "4-d"), true), (revisions("1-a"), false), (revisions("2-x", "1-a"), false))
        let history = try revisions("6-f", "5-e", "4-d", "3-c", "2-b", "1-a")
        var apart = parts
        try apart.merge(history, isDeleted: false)
        #expect(apart.leaves.map(\.id.text) == ["6-f", "2-x"])
        #expect(try apart.history(of: revision("6-f")) == revisions("6-f", "5-e", "4-d"))
        var joined = parts
        #expect(try joined.merge(history, isDeleted: false, joinsBranches: true) == .added(parent: revision("5-e"), isNewBranch: false))
        #expect(try joined.history(of: revision("6-f")) == history)
        #expect(joined.leaves.map(\.id.text) == ["6-f", "2-x"])
        #expect(try RevisionTree(encoded: joined.encoded()) == joined)

        var three = try tree((revisions("3-c"), false), (revisions("2-b"), true), (revisions("1-a"), false))
        try three.merge(revisions("4-d", "3-c", "2-b", "1-a"), isDeleted: false, joinsBranches: true)
        #expect(three.leaves.map(\.id.text) == ["4-d"])
        #expect(try RevisionTree(encoded: three.encoded()) == three)

        // What the tree has is right: 2-b follows another revision there.
        var other = try tree((revisions("2-b", "1-z"), false), (revisions("1-a"), false))
        try other.merge(revisions("3-c", "2-b", "1-a"), isDeleted: false, joinsBranches: true)
        #expect(other.leaves.map(\.id.text) == ["3-c", "1-a"])
    }

    @Test("The winner is live before deleted, then of higher generation, then of higher digest")
    func winner() throws {
        var tree = try tree(
            (revisions("3-a", "2-a", "1-a"), false), (revisions("3-b", "2-a"), false), (revisions("5-x", "4-x", "3-a"), true))
        #expect(tree.winner?.id.text == "3-b")
        #expect(tree.leaves.map(\.id.text) == ["3-b", "5-x"])
        #expect(!tree.isConflicted)
        try tree.insert(child: revision("4-b"), of: revision("3-b"), isDeleted: true)
        #expect(tree.winner?.id.text == "5-x")
        #expect(tree.winner?.isDeleted == true)
    }

    @Test("The recorded conflict of Sync Gateway has its winner: 3-ddd before 3-ccc")
    func captured() throws {
        let tree = try tree((revisions("3-ccc", "2-bbb", "1-aaa"), false), (revisions("3-ddd", "2-bbb", "1-aaa"), false))
        #expect(tree.leaves.map(\.id.text) == ["3-ddd", "3-ccc"])
        #expect(try tree.possibleAncestors(of: revision("4-e"), limit: 10).map(\.text) == ["3-ddd", "3-ccc"])
        #expect(try tree.possibleAncestors(of: revision("4-e"), limit: 1).map(\.text) == ["3-ddd"])
        #expect(try tree.possibleAncestors(of: revision("3-e"), limit: 10).isEmpty)
    }

    @Test("Where a history contradicts the tree, the tree counts")
    func disagreement() throws {
        let tree = try tree((revisions("3-c", "2-b", "1-a"), false), (revisions("4-d", "3-c", "2-x", "1-y"), false))
        #expect(try tree.history(of: revision("4-d")).map(\.text) == ["4-d", "3-c", "2-b", "1-a"])
        #expect(try !tree.contains(revision("2-x")))
    }

    @Test("Histories end at a limit, or with a known revision")
    func histories() throws {
        let tree = try tree((revisions("4-d", "3-c", "2-b", "1-a"), false))
        #expect(try tree.history(of: revision("4-d"), limit: 2).map(\.text) == ["4-d", "3-c"])
        #expect(try tree.history(of: revision("4-d"), stoppingAt: Set(revisions("2-b", "4-d"))).map(\.text) == ["4-d", "3-c", "2-b"])
        #expect(try tree.history(of: revision("4-d"), limit: 0).isEmpty)
        #expect(try tree.isAncestor(revision("1-a"), of: revision("4-d")))
        #expect(try tree.isAncestor(revision("4-d"), of: revision("4-d")))
        #expect(try !tree.isAncestor(revision("4-d"), of: revision("1-a")))
        #expect(try !tree.isAncestor(revision("9-z"), of: revision("4-d")))
    }

    @Test("Generations may have gaps, and must descend")
    func gaps() throws {
        var tree = try tree((revisions("9-c", "4-b", "1-a"), false))
        #expect(try tree.parent(of: revision("9-c"))?.text == "4-b")
        let before = tree
        for bad in try [[], revisions("2-a", "2-b"), revisions("1-a", "2-b")] {
            #expect(throws: DocumentError(.badRevisions, "")) { try tree.merge(bad, isDeleted: false) }
        }
        let long = try (0...RevisionTree.maximumHistoryCount).map { try #require(RevisionID(generation: 20_000 - $0, digest: "aa")) }
        #expect(throws: DocumentError(.badRevisions, "")) { try tree.merge(long, isDeleted: false) }
        #expect(tree == before)
    }

    @Test("A child is inserted once, after a known parent")
    func insertion() throws {
        var tree = RevisionTree()
        try tree.insert(child: revision("1-a"), of: nil, isDeleted: false)
        try tree.insert(child: revision("2-b"), of: revision("1-a"), isDeleted: true)
        #expect(try tree.node(revision("1-a"))?.isLeaf == false)
        #expect(try tree.node(revision("2-b"))?.isDeleted == true)
        #expect(throws: DocumentError(.badRevisions, "")) { try tree.insert(child: revision("2-b"), of: revision("1-a"), isDeleted: false) }
        #expect(throws: DocumentError(.badRevisions, "")) { try tree.insert(child: revision("2-c"), of: revision("2-b"), isDeleted: false) }
        #expect(throws: DocumentError(.unknownRevision, "")) {
            try tree.insert(child: revision("3-c"), of: revision("2-x"), isDeleted: false)
        }
    }

    @Test("Pruning keeps the newest revisions of each branch, and protected ones with their descendants")
    func pruning() throws {
        let ids = try (1...10).reversed().map { try revision("\($0)-aa") }
        var pruned = try tree((ids, false))
        #expect(pruned.prune(depth: 3).map(\.text) == (1...7).map { "\($0)-aa" })
        #expect(try pruned.history(of: revision("10-aa")).map(\.text) == ["10-aa", "9-aa", "8-aa"])
        #expect(pruned.prune(depth: 3).isEmpty)
        var kept = try tree((ids, false))
        #expect(try kept.prune(depth: 3, keeping: [revision("5-aa"), revision("99-no")]).map(\.text) == (1...4).map { "\($0)-aa" })
    }

    @Test("An old tombstoned branch is removed completely, and the branch beside it stays")
    func tombstonedBranch() throws {
        var tree = try tree(((1...20).reversed().map { try revision("\($0)-aa") }, false), (revisions("3-dd", "2-dd", "1-aa"), true))
        let removed = tree.prune(depth: 10).map(\.text)
        #expect(removed.contains("3-dd"))
        #expect(tree.leafCount == 1)
        #expect(tree.count == 10)
        var kept = try self.tree(((1...20).reversed().map { try revision("\($0)-aa") }, false), (revisions("3-dd", "2-dd", "1-aa"), true))
        _ = try kept.prune(depth: 10, keeping: [revision("3-dd")])
        #expect(try kept.contains(revision("3-dd")))
    }

    @Test("A foreign revision is found under its alias")
    func lookup() throws {
        let tree = try tree((revisions("2-abc", "1-abcd"), false))
        let alias = try revision("2-abc").modernAlias
        #expect(tree.lookup(modern: alias)?.id.text == "2-abc")
        #expect(try tree.lookup(modern: revision("2-abc"))?.id.text == "2-abc")
        #expect(try tree.lookup(modern: revision("1-abcd"))?.id.text == "1-abcd")
        #expect(try tree.lookup(modern: revision("1-ffff")) == nil)
    }

    @Test("The stored form is small and has its version")
    func encoding() throws {
        let tree = try tree((revisions("2-c5557c751fcbfe4cd1f7221085d9ff70", "1-61118a3ab2f57da9e7a814428e31afe1"), false))
        #expect(tree.encoded().count == 2 + 2 * 18)
        #expect(tree.encoded().first == 1)
        #expect(throws: DocumentError(.badTree, "")) { try RevisionTree(encoded: [2, 0]) }
        #expect(throws: DocumentError(.badTree, "")) { try RevisionTree(encoded: [1, 0xff, 0xff, 0xff, 0x7f]) }
        #expect(throws: DocumentError(.badTree, "")) { try RevisionTree(encoded: []) }
    }
}
