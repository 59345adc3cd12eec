import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Edits, limits and pruning")
struct WritingTests {
    @Test("A revision that is made here has Sync Gateway's ID")
    func digest() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "1-1111", body: #"{"count":1}"#)
        #expect(try await fixture.unified.edit("a", parent: "1-1111", body: #"{"count":2}"#) == "2-c5557c751fcbfe4cd1f7221085d9ff70")
    }

    @Test("An edit without the current revision is refused: Document exists, Document update conflict")
    func conflicts() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.unified.edit("a", body: #"{"n":1}"#)
        let exists = try await failure { try await fixture.unified.edit("a", body: #"{"n":2}"#) }
        #expect(exists.code == .conflict && exists.message == "Document exists" && exists.current?.text == first)
        try await fixture.unified.edit("a", parent: first, body: #"{"n":2}"#)
        for parent in [first, "1-ff"] {
            let stale = try await failure { try await fixture.unified.edit("a", parent: parent, body: #"{"n":3}"#) }
            #expect(stale.code == .conflict && stale.message == "Document update conflict")
        }
        #expect(try await code { try await fixture.unified.edit("new", parent: "1-aa") } == .conflict)
        #expect(try await fixture.unified.feed().count == 1)
    }

    @Test("An edit may extend a losing branch, and delete it")
    func losingBranch() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("a", "2-aa", "1-aa")
        try await fixture.unified.push("a", "2-bb", "1-aa")
        try await fixture.unified.edit("a", parent: "2-aa", deleted: true)
        #expect(try await fixture.unified.leaves("a").filter { !$0.hasPrefix("!") } == ["2-bb"])
        #expect(try await fixture.unified.current("a") == "2-bb {}")
        try await fixture.expectSound()
    }

    @Test("Each write of a batch succeeds or fails by itself")
    func batch() async throws {
        let fixture = try await Fixture()
        let history = [try revision("1-aa")]
        let results = try await fixture.unified.write(
            ["a", "_bad", "b", "a"].map {
                RevisionWrite(id: $0, kind: .replicated(history: history, conflicts: .branch), isDeleted: false, body: Array("{}".utf8))
            })
        #expect(results.map { (try? $0.get())?.isNew } == [true, nil, true, false])
        #expect(try await fixture.unified.feed() == ["a@1-aa", "b@1-aa"])
        #expect(try await fixture.unified.write([]).isEmpty)
    }

    @Test("A body over the limit is refused with 413")
    func tooLarge() async throws {
        let fixture = try await Fixture { $0.limits.documentSize = 20 }
        try await fixture.unified.push("a", "1-aa", body: #"{"n":"234567890123"}"#)
        #expect(try await code { try await fixture.unified.push("b", "1-aa", body: #"{"n":"2345678901234"}"#) } == .tooLarge)
        #expect(try await fixture.unified.feed() == ["a@1-aa"])
    }

    @Test(
        "Impossible IDs are refused",
        arguments: ["", "_a", "_design/", "a\u{0}b", "a\nb", String(repeating: "a", count: 251)])
    func badIDs(id: String) async throws {
        let fixture = try await Fixture()
        #expect(try await code { try await fixture.unified.push(id, "1-aa") } == .badRequest)
    }

    @Test("Unusual IDs are accepted", arguments: ["a/b", "_design/x", "é", "a b", String(repeating: "a", count: 250)])
    func goodIDs(id: String) async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push(id, "1-aa")
        #expect(try await fixture.unified.current(id) == "1-aa {}")
    }

    @Test("Revision trees have a limited depth")
    func pruning() async throws {
        let fixture = try await Fixture { $0.limits.revisionDepth = 5 }
        var parent = try await fixture.unified.edit("a", body: #"{"n":0}"#)
        for number in 1...12 { parent = try await fixture.unified.edit("a", parent: parent, body: "{\"n\":\(number)}") }
        let record = try await fixture.unified.record("a")
        #expect(record.tree.count == 5)
        #expect(record.tree.history(of: record.winner).map(\.generation) == [13, 12, 11, 10, 9])
        try await fixture.expectSound()
    }

    @Test("The branch of an ancient tombstone is pruned on arrival")
    func ancientTombstone() async throws {
        let fixture = try await Fixture { $0.limits.revisionDepth = 3 }
        try await fixture.unified.push("a", "9-aa", "8-aa", "7-aa")
        try await fixture.unified.push("a", "2-bb", "1-bb", deleted: true)
        #expect(try await fixture.unified.leaves("a") == ["9-aa"])
        try await fixture.expectSound()
    }

    @Test("Recent bodies are kept for clients that are fetching them, and bodies of older ancestors are not")
    func recentBodies() async throws {
        let fixture = try await Fixture { $0.limits.recentBodies = 2 }
        for number in 1...5 {
            let history = try (1...number).reversed().map { try revision("\($0)-aa") }
            _ = try await fixture.unified.write(
                RevisionWrite(
                    id: "a", kind: .replicated(history: history, conflicts: .branch), isDeleted: false,
                    body: Array("{\"n\":\(number)}".utf8)))
        }
        var bodies: [String?] = []
        for number in 1...5 { bodies.append(try await fixture.unified.body("a", "\(number)-aa")) }
        #expect(bodies == [nil, nil, #"{"n":3}"#, #"{"n":4}"#, #"{"n":5}"#])
        #expect(try await code { _ = try await fixture.unified.revision(.revision(revision("1-aa")), of: "a") } == .notFound)
        try await fixture.expectSound()
    }

    @Test("Every leaf's body is kept, however old")
    func leavesKeepBodies() async throws {
        let fixture = try await Fixture { $0.limits.recentBodies = 0 }
        try await fixture.unified.push("a", "1-bb", body: #"{"n":"loser"}"#)
        try await fixture.unified.push("a", "2-aa", "1-aa", body: #"{"n":2}"#)
        try await fixture.unified.push("a", "3-aa", "2-aa", body: #"{"n":3}"#)
        #expect(try await fixture.unified.body("a", "1-bb") == #"{"n":"loser"}"#)
        #expect(try await fixture.unified.body("a", "2-aa") == nil)
        try await fixture.expectSound()
    }
}
