import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Copies of the winner on top of another branch or of itself")
struct CopyTests {
    private func tree(_ fixture: Fixture) async throws -> RevisionTree { try await fixture.unified.record("a").tree }

    /// A document whose second branch wins, and is longer by this number of revisions.
    private func conflict(
        _ longer: Int, _ change: (inout DatabaseConfiguration) -> Void = { _ in }
    ) async throws -> (Fixture, winner: RevisionID, line: RevisionID) {
        let fixture = try await Fixture(change)
        try await fixture.unified.push("a", "2-bb", "1-aa", body: #"{"is":"old"}"#)
        let history = try (2...(2 + longer)).reversed().map { try revision("\($0)-cc") } + [revision("1-aa")]
        _ = try await fixture.unified.write(
            RevisionWrite(
                id: "a", kind: .replicated(history: history, conflicts: .branch), isDeleted: false, body: Array(#"{"is":"new"}"#.utf8)))
        return (fixture, history[0], try revision("2-bb"))
    }

    @Test("The copy continues the other branch without a gap, above both, and the tree names its original", arguments: [0, 1, 40])
    func carried(longer: Int) async throws {
        let (fixture, winner, line) = try await conflict(longer)
        let copy = try #require(try await fixture.unified.carry(winner, onto: line, of: "a"))
        let tree = try await tree(fixture)
        #expect(tree.winner?.id == copy && copy.generation == winner.generation + 1)
        #expect(tree.history(of: copy).map(\.generation) == (1...copy.generation).reversed())
        #expect(tree.isAncestor(line, of: copy) && !tree.isAncestor(winner, of: copy))
        #expect(tree.leaves.map(\.isDeleted) == [false, true] && tree.originals(of: copy) == [winner])
        #expect(try await fixture.unified.current("a") == "\(copy) {\"is\":\"new\"}")
        try await fixture.expectSound()
    }

    @Test(
        "An edit of the original wins over the copy, whatever the policy for conflicts",
        arguments: [nil, "", "function (conflict) { return conflict.localDocument }"], ["3-00", "3-ff"])
    func edited(resolver: String?, edit: String) async throws {
        let (fixture, winner, _) = try await conflict(0) { configuration in
            if let resolver {
                configuration.conflicts = .resolve
                configuration.conflictResolver = resolver.isEmpty ? nil : resolver
            }
        }
        let end = try #require(try await tree(fixture).leaves.map(\.id).first { $0 != winner })
        let copy = try #require(try await fixture.unified.carry(winner, onto: end, of: "a"))
        #expect(try await tree(fixture).originals(of: copy) == [winner])
        // A device that does not have the copy.
        try await fixture.unified.push("a", edit, winner.text, "1-aa", body: #"{"is":"edited"}"#)
        #expect(try await fixture.unified.current("a") == "\(edit) {\"is\":\"edited\"}")
        #expect(try await fixture.unified.counts().conflicted == 0)
        try await fixture.expectSound()
    }

    @Test("The copy survives the end of the original's branch, by which an app may have resolved the conflict")
    func ended() async throws {
        let (fixture, winner, line) = try await conflict(0)
        let copy = try #require(try await fixture.unified.carry(winner, onto: line, of: "a"))
        try await fixture.unified.push("a", "3-cc", winner.text, "1-aa", deleted: true)
        #expect(try await fixture.unified.current("a") == "\(copy) {\"is\":\"new\"}")
        try await fixture.expectSound()
    }

    @Test("A winner more than 1,000 generations above the other branch is not copied, and both branches stay")
    func tooFar() async throws {
        let (fixture, winner, line) = try await conflict(1_001)
        let before = try await tree(fixture)
        let error = await #expect(throws: GatewayError.self) { try await fixture.unified.carry(winner, onto: line, of: "a") }
        #expect(error?.message.contains("1000") == true)
        #expect(try await tree(fixture) == before)
        #expect(try await fixture.unified.counts().conflicted == 1)
    }

    @Test("Two bridges make the same copy of the same revision")
    func deterministic() async throws {
        var copies: Set<RevisionID> = []
        for _ in 0..<2 {
            let (fixture, winner, line) = try await conflict(3)
            copies.insert(try #require(try await fixture.unified.carry(winner, onto: line, of: "a")))
        }
        #expect(copies.count == 1)
    }

    @Test("No copy is written if the document has changed meanwhile")
    func changed() async throws {
        let (fixture, winner, line) = try await conflict(0)
        try await fixture.unified.push("a", "3-bb", "2-bb", body: #"{"is":"edited"}"#)
        let before = try await tree(fixture)
        #expect(try await fixture.unified.carry(winner, onto: line, of: "a") == nil)
        #expect(try await fixture.unified.raise(winner, above: 7, of: "a") == nil)
        #expect(try await tree(fixture) == before)
    }

    @Test("A copy on top of itself gets any requested generation", arguments: [1, 2, 3, 30])
    func raised(generation: Int) async throws {
        let (fixture, winner, _) = try await conflict(0)
        let copy = try #require(try await fixture.unified.raise(winner, above: generation, of: "a"))
        let tree = try await tree(fixture)
        #expect(copy.generation > generation && tree.isAncestor(winner, of: copy) && tree.originals(of: copy) == [winner])
        #expect(tree.history(of: copy).map(\.generation) == (1...copy.generation).reversed())
        #expect(try await fixture.unified.current("a") == "\(copy) {\"is\":\"new\"}")
        try await fixture.expectSound()
    }

    @Test("A very high generation needs no revisions between, and the highest is refused")
    func hostile() async throws {
        let (fixture, winner, _) = try await conflict(0)
        let copy = try #require(try await fixture.unified.raise(winner, above: 1 << 40, of: "a"))
        #expect(copy.generation == (1 << 40) + 1)
        #expect(try await tree(fixture).count < 10)
        await #expect(throws: GatewayError.self) { try await fixture.unified.raise(copy, above: RevisionID.maximumGeneration, of: "a") }
        try await fixture.expectSound()
    }

    @Test("The body of a replaced longer history is old, and is removed in time")
    func bodies() async throws {
        let (fixture, _, _) = try await conflict(0)
        try await fixture.unified.push("a", "5-ee", "4-ee", "3-ee", "2-bb", "1-aa")
        for generation in 6...12 {
            try await fixture.unified.push("a", "\(generation)-ee", "\(generation - 1)-ee")
        }
        #expect(try await fixture.unified.body("a", "2-bb") == nil)
        try await fixture.expectSound()
    }
}
