import Documents
import Storage
import Testing

@testable import Gateway

@Suite("Changes feeds")
struct ChangesTests {
    /// a, b (deleted), c, d (with a branch), in this order.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture { try $0.add("s.c") }
        for id in ["b", "a", "c", "d"] { try await fixture.unified.push(id, "1-aa", body: #"{"n":1}"#) }
        try await fixture.unified.push("a", "2-aa", "1-aa")
        try await fixture.unified.push("b", "2-bb", "1-aa", deleted: true)
        for id in ["c", "d"] { try await fixture.unified.push(id, "2-aa", "1-aa", body: #"{"n":2}"#) }
        try await fixture.unified.push("d", "2-00", "1-aa")
        return fixture
    }

    @Test("A document has one row, its latest change, and a batch continues after the previous one")
    func batches() async throws {
        let fixture = try await fixture()
        var query = ChangesQuery()
        query.limit = 3
        let first = try await fixture.unified.changes(query)
        #expect(first.rows.map(\.id) == ["a", "b", "c"])
        #expect(!first.isCaughtUp)
        #expect(first.position == first.rows.last?.position)
        query.since = first.position
        let second = try await fixture.unified.changes(query)
        #expect(second.rows.map(\.id) == ["d"])
        #expect(second.isCaughtUp)
        #expect(try await second.position == FeedPosition(fixture.unified.lastSequence()))
        query.since = second.position
        #expect(try await fixture.unified.changes(query).rows.isEmpty)
    }

    @Test("The position of a caught-up feed is the counter, also if the last changes were in other collections")
    func quietCollection() async throws {
        let fixture = try await fixture()
        let batch = try await fixture.collection("s.c").changes(ChangesQuery())
        #expect(batch.rows.isEmpty)
        #expect(batch.isCaughtUp)
        #expect(try await batch.position == FeedPosition(fixture.unified.lastSequence()))
    }

    @Test("A row has every leaf, or the winner alone")
    func leaves() async throws {
        let fixture = try await fixture()
        var query = ChangesQuery()
        #expect(try await fixture.unified.changes(query).rows.allSatisfy { $0.otherLeaves.isEmpty })
        query.allLeaves = true
        let rows = try await fixture.unified.changes(query).rows
        #expect(rows.map(\.otherLeaves) == [[], [], [], ["2-00"]])
        #expect(rows.last?.revision == "2-aa")
    }

    @Test("A feed of active documents omits ended branches")
    func activeLeaves() async throws {
        let fixture = try await Fixture()
        for history in [["2-bb", "1-aa"], ["2-cc", "1-aa"]] {
            try await fixture.unified.push("1", history[0], history[1])
        }
        try await fixture.unified.push("1", "3-dd", "2-cc", deleted: true)
        var query = ChangesQuery()
        query.allLeaves = true
        #expect(try await fixture.unified.changes(query).rows.map(\.otherLeaves) == [["3-dd"]])
        query.activeOnly = true
        let rows = try await fixture.unified.changes(query).rows
        #expect(rows.map(\.revision) == ["2-bb"] && rows.map(\.otherLeaves) == [[]])
    }

    @Test("A feed of active documents omits tombstones, and its position passes them")
    func activeOnly() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.unified.feed { $0.activeOnly = true } == ["a@2-aa", "c@2-aa", "d@2-aa"])
        #expect(try await fixture.unified.feed { ($0.documentIDs, $0.activeOnly) = (["b", "a"], true) } == ["a@2-aa"])
        var query = ChangesQuery()
        query.activeOnly = true
        query.limit = 2
        let batch = try await fixture.unified.changes(query)
        #expect(batch.rows.map(\.id) == ["a"])
        #expect(!batch.isCaughtUp)
        #expect(try await batch.position.sequence == fixture.unified.record("b").sequence)
    }

    @Test("A descending feed starts with the latest change")
    func descending() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.unified.feed { $0.descending = true } == ["d@2-aa", "c@2-aa", "!b@2-bb", "a@2-aa"])
        #expect(try await fixture.unified.feed { ($0.descending, $0.limit) = (true, 2) } == ["d@2-aa", "c@2-aa"])
    }

    @Test("A feed of named documents looks them up or scans the feed", arguments: [1000, 1])
    func documentIDs(limit: Int) async throws {
        let fixture = try await fixture()
        var query = ChangesQuery()
        query.documentIDs = ["d", "a", "none"]
        query.limit = limit
        var ids: [String] = []
        var isCaughtUp = false
        while !isCaughtUp {
            let batch = try await fixture.unified.changes(query)
            ids += batch.rows.map(\.id)
            query.since = batch.position
            isCaughtUp = batch.isCaughtUp
        }
        #expect(ids == ["a", "d"])
        #expect(try await query.since == FeedPosition(fixture.unified.lastSequence()))
    }

    @Test("Canonically equivalent but different IDs are not confused")
    func equivalentIDs() async throws {
        let fixture = try await Fixture()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try await fixture.unified.push(composed, "1-aa")
        try await fixture.unified.push(decomposed, "1-bb")
        #expect(try await fixture.unified.feed { $0.documentIDs = [ExactString(composed)] } == [composed + "@1-aa"])
        var query = ChangesQuery()
        query.documentIDs = [ExactString(decomposed), "x", "y", "z"]
        query.limit = 3
        #expect(try await fixture.unified.changes(query).rows.map(\.revision) == ["1-bb"])
        query.documentIDs = [ExactString(composed), ExactString(decomposed)]
        #expect(try await fixture.unified.changes(query).rows.map(\.revision) == ["1-aa", "1-bb"])
    }

    @Test("Each row has the winner's content if requested")
    func content() async throws {
        let fixture = try await fixture()
        var query = ChangesQuery()
        query.includesContent = true
        let rows = try await fixture.unified.changes(query).rows
        #expect(rows.last?.content?.body.properties == Array(#"{"n":2}"#.utf8))
        #expect(rows.last?.content?.history.map(\.text) == ["2-aa", "1-aa"])
        query.documentIDs = ["c"]
        #expect(try await fixture.unified.changes(query).rows.first?.content?.body.properties == Array(#"{"n":2}"#.utf8))
    }

    @Test("A follower wakes after a commit in its keyspace, and finds the change in the feed")
    func follow() async throws {
        let fixture = try await fixture()
        let collection = try fixture.collection("s.c")
        var commits = collection.follow().makeAsyncIterator()
        try await fixture.unified.push("elsewhere", "1-aa")
        try await collection.pushModern("here", "1-aa")
        let commit = try #require(await commits.next())
        #expect(try await collection.record("here").collectionSequence <= commit.sequence)
        #expect(try await collection.feed() == ["here@1-aa"])
    }
}
