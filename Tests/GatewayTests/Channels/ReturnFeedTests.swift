import Documents
import Gateway
import Storage
import Testing

@Suite("Documents that return after their readers lost sight of them")
struct ReturnFeedTests {
    private func fixture(_ departures: DeparturePolicy) async throws -> (Fixture, Database) {
        let fixture = try await Fixture {
            $0.departures = departures
            try $0.add("catalog.products")
            try $0.route(.idPrefix("p"), to: "catalog.products")
        }
        let database = fixture.database
        try await fixture.user("anna", channels: ["a", "b"])
        let remainder = try fixture.collection("_default")
        for (id, channels) in [("p1", ["a"]), ("p2", ["b"]), ("p3", ["a"]), ("p4", ["z"]), ("q", ["a"])] {
            try await remainder.put(id, channels: channels)
        }
        return (fixture, database)
    }

    /// Moves the first documents, as a run does that is killed afterwards.
    private func moveSome(_ database: Database) async throws {
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: database.routesFingerprint))
        _ = try await steps.next(limit: 4)
    }

    private func revert(_ database: Database) async throws {
        let run = try #require(try await database.moveRuns().last)
        var steps = database.revertSteps(of: run)
        while try await steps.next(limit: 2) != nil {}
    }

    @Test(
        "A client of the collection that pulled meanwhile gets the returned document, and no other client does",
        arguments: DeparturePolicy.allCases)
    func collection(departures: DeparturePolicy) async throws {
        let (fixture, database) = try await fixture(departures)
        let remainder = try #require(database.keyspace(.default))
        let anna = remainder.seen(by: "anna")
        var position = try await anna.read().position
        try await moveSome(database)
        try await database.unified.put("p1", channels: ["z"])
        try await fixture.user("anna", channels: ["a"])
        let away = try await anna.read(since: position)
        #expect(away.rows == (departures == .notify ? ["p2 moved", "p1 moved", "p3 moved"].sorted() : []))
        position = away.position
        try await revert(database)
        for limit in [1, 2, 100] {
            #expect(try await anna.rows(since: position, limit: limit) == ["p1 removed *", "p2 removed *", "p3"])
        }
        #expect(try await anna.rows(since: position) { $0.documentIDs = ["p1", "p3", "p4"] } == ["p1 removed *", "p3"])
        let row = try #require(try await anna.changes(ChangesQuery()).rows.first { $0.id == "p2" })
        #expect(try await anna.body("p2", row.revision) == #"{"_removed":true}"#)
        try await fixture.user("late", channels: ["a"])
        #expect(try await remainder.seen(by: "late").rows().filter { $0.hasPrefix("p2") || $0.hasPrefix("p4") } == [])
        let end = try await anna.read(since: position).position
        #expect(try await anna.rows(since: end) == [])
        try await fixture.expectSound()
    }

    @Test("A client of the unified keyspace gets a document that returns from a hidden collection")
    func unified() async throws {
        let (fixture, first) = try await fixture(.silent)
        var position = try await first.unified.seen(by: "anna").read().position
        let hidden = try await fixture.reopened {
            $0.collections = []
            try $0.add("catalog.products", hidden: true)
        }
        let products = try #require(CollectionName("catalog.products"))
        try await moveSome(hidden)
        try await fixture.user("anna", channels: ["a"])
        position = try await hidden.unified.seen(by: "anna").read(since: position).position
        try await revert(hidden)
        let anna = hidden.unified.seen(by: "anna")
        #expect(try await anna.rows(since: position) == ["p1", "p2 removed *", "p3"])
        position = try await anna.read(since: position).position
        try await moveSome(hidden)
        try await #require(hidden.keyspace(products)).put("p1", channels: ["z"])
        try await fixture.user("anna", channels: ["b"])
        position = try await anna.read(since: position).position
        let shown = try await fixture.reopened { $0.collections[0].isHidden = false }
        let rows = try await shown.unified.seen(by: "anna").rows(since: position)
        #expect(Set(rows).isSuperset(of: ["p1 removed *", "p2", "p3 removed *"]) && !rows.contains { $0.hasPrefix("p4") }, "\(rows)")
        try await fixture.expectSound()
    }
}
