import Documents
import TestSupport
import Testing

@Suite("Revision trees against a simple model")
struct RevisionTreePropertyTests {
    /// Histories that share ancestors at random, with gaps, foreign digests and tombstones.
    private struct Workload {
        var generator: SeededGenerator
        var histories: [(ids: [RevisionID], isDeleted: Bool)] = []

        init(seed: UInt64, count: Int) throws {
            generator = SeededGenerator(seed: seed)
            for _ in 0..<count { histories.append(try next()) }
        }

        private mutating func id(_ generation: Int) throws -> RevisionID {
            let digests = [
                "aa", "ab", "ab00", "ABC", "xyz", "é", "c5557c751fcbfe4cd1f7221085d9ff70", "47f959e15c2deb980dfb48fe727e5caa1229ee33",
            ]
            let digest =
                generator.once(in: 2) ? digests.randomElement(using: &generator) ?? "aa" : "\(Int.random(in: 10..<90, using: &generator))"
            return try #require(RevisionID(generation: generation, digest: digest))
        }

        private mutating func next() throws -> (ids: [RevisionID], isDeleted: Bool) {
            var ids: [RevisionID] = []
            if let base = histories.randomElement(using: &generator), !generator.once(in: 10) {
                ids = Array(base.ids.dropFirst(Int.random(in: 0..<base.ids.count, using: &generator)))
            }
            var generation = ids.first?.generation ?? Int.random(in: 0..<3, using: &generator)
            for _ in 0..<Int.random(in: ids.isEmpty ? 1...6 : 0...6, using: &generator) {
                generation += generator.once(in: 12) ? 3 : 1
                ids.insert(try id(generation), at: 0)
            }
            if generator.once(in: 3) { ids = Array(ids.prefix(Int.random(in: 1...ids.count, using: &generator))) }
            return (ids, generator.once(in: 4))
        }
    }

    private func check(_ tree: RevisionTree, _ model: TreeModel) throws {
        #expect(tree.count == model.revisions.count)
        #expect(tree.leaves.map(\.id) == model.leaves)
        #expect(tree.winner?.id == model.leaves.first)
        #expect(tree.leafCount == model.leaves.count)
        #expect(tree.isConflicted == (model.leaves.count { model.revisions[$0]?.isDeleted == false } > 1))
        for (id, revision) in model.revisions {
            #expect(tree.node(id)?.parent == revision.parent)
            #expect(tree.node(id)?.isDeleted == revision.isDeleted)
            #expect(tree.node(id)?.isLeaf == model.isLeaf(id))
            #expect(tree.history(of: id) == model.history(of: id))
        }
        let decoded = try RevisionTree(encoded: tree.encoded())
        #expect(decoded == tree)
    }

    @Test("Merging and pruning equal the model's", arguments: 0..<150 as Range<UInt64>)
    func mergesAndPrunes(seed: UInt64) throws {
        var workload = try Workload(seed: seed, count: 25)
        var tree = RevisionTree()
        var model = TreeModel()
        for history in workload.histories {
            #expect(try tree.merge(history.ids, isDeleted: history.isDeleted) == model.merge(history.ids, isDeleted: history.isDeleted))
            if workload.generator.once(in: 6) {
                let depth = Int.random(in: 1...8, using: &workload.generator)
                let keeping = Set(model.revisions.keys.sorted().filter { _ in workload.generator.once(in: 20) })
                #expect(Set(tree.prune(depth: depth, keeping: keeping)) == model.prune(depth: depth, keeping: keeping))
            }
            try check(tree, model)
        }
    }

    @Test("The order of arriving revisions does not matter", arguments: 0..<100 as Range<UInt64>)
    func convergence(seed: UInt64) throws {
        var workload = try Workload(seed: seed &+ 1_000, count: 20)
        // One tree of full, consistent histories; each of its revisions then arrives by itself.
        var origin = RevisionTree()
        for history in workload.histories { try origin.merge(history.ids, isDeleted: false) }
        let arrivals = origin.leaves.map { (origin.history(of: $0.id), workload.generator.once(in: 3)) }
        var trees: Set<RevisionTree> = []
        for _ in 0..<5 {
            var tree = RevisionTree()
            for (history, isDeleted) in arrivals.shuffled(using: &workload.generator) { try tree.merge(history, isDeleted: isDeleted) }
            trees.insert(tree)
        }
        #expect(trees.count == 1)
        #expect(Set(trees.map { $0.encoded() }).count == 1)
    }

    @Test("Damaged bytes are refused or give another tree, and never crash", arguments: 0..<60 as Range<UInt64>)
    func corruption(seed: UInt64) throws {
        var workload = try Workload(seed: seed &+ 2_000, count: 8)
        var tree = RevisionTree()
        for history in workload.histories { try tree.merge(history.ids, isDeleted: history.isDeleted) }
        let encoded = tree.encoded()
        for length in 0..<encoded.count {
            #expect(throws: DocumentError(.badTree, "")) { try RevisionTree(encoded: encoded.prefix(length)) }
        }
        #expect(throws: DocumentError(.badTree, "")) { try RevisionTree(encoded: encoded + [0]) }
        for _ in 0..<300 {
            var bytes = encoded
            bytes[Int.random(in: bytes.indices, using: &workload.generator)] = UInt8.random(in: 0...255, using: &workload.generator)
            guard let other = try? RevisionTree(encoded: bytes) else { continue }
            #expect(try RevisionTree(encoded: other.encoded()) == other)
            #expect(other.leaves.allSatisfy { other.history(of: $0.id).count >= 1 })
        }
    }
}
