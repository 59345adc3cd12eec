import Documents
import Gateway
import Storage
import Testing

@Suite("Departures for readers of channels")
struct DepartureFeedTests {
    /// Documents 1 (channel a), 2 (channel x) and 3 (channel a, stays) in the default collection, of which `moves` are moved.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture { $0.departures = .notify }
        try await fixture.user("anna", channels: ["a"])
        try await fixture.user("late")
        for (id, channel) in [("1", "a"), ("2", "x"), ("4", "a")] {
            try await fixture.unified.put(id, channels: [channel], with: #""type":"order""#)
        }
        try await fixture.unified.put("3", channels: ["a"])
        return fixture
    }

    private func move(_ fixture: Fixture) async throws -> Keyspace {
        let database = try await fixture.reopened {
            try $0.add("sales.orders")
            try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders")
        }
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: "x"))
        while try await steps.next(limit: 10) != nil {}
        return try #require(database.keyspace(.default))
    }

    @Test("Only a reader who could see a document gets its departure")
    func notices() async throws {
        let fixture = try await fixture()
        let position = try await fixture.collection("_default").seen(by: "anna").read().position
        let remainder = try await move(fixture)
        let anna = remainder.seen(by: "anna")
        for limit in [1, 2, 100] {
            #expect(try await anna.rows(since: position, limit: limit) == ["1 moved", "4 moved"])
            #expect(try await anna.rows(limit: limit) == ["3", "1 moved", "4 moved"])
        }
        #expect(try await anna.rows(since: position) { $0.activeOnly = true } == [])
        #expect(try await anna.rows(since: position) { $0.channels = ["x"] } == [])
        #expect(try await anna.rows(since: position) { $0.channels = ["a"] } == ["1 moved", "4 moved"])
        #expect(try await anna.rows(since: position) { $0.documentIDs = ["1", "2"] } == ["1 moved"])
        #expect(try await anna.rows { $0.descending = true } == ["4 moved", "1 moved", "3"])
        #expect(try await remainder.seen(by: "late").rows(since: position) == [])
        #expect(try await anna.rows(since: try await anna.read(since: position).position) == [])
        #expect(try await remainder.rows(since: position) == ["1 moved", "2 moved", "4 moved"])
        try await fixture.expectSound()
    }

    @Test("A reader who got the channel after the move gets no departure; one who lost it after the move does")
    func laterChanges() async throws {
        let fixture = try await fixture()
        let position = try await fixture.collection("_default").seen(by: "anna").read().position
        let remainder = try await move(fixture)
        try await fixture.user("late", channels: ["a"])
        #expect(try await remainder.seen(by: "late").rows(since: position) == ["3 again"])
        try await fixture.user("anna")
        #expect(try await remainder.seen(by: "anna").rows(since: position) == ["1 moved", "4 moved", "3 revoked a"])
    }

    @Test(
        "A reader whose document left the channels before the move, or who lost the channel before, gets the departure",
        arguments: [1, 2, 100])
    func earlierChanges(limit: Int) async throws {
        let fixture = try await fixture()
        let position = try await fixture.collection("_default").seen(by: "anna").read().position
        try await fixture.unified.put("1", channels: ["x"], with: #""type":"order""#)
        try await fixture.unified.put("3", channels: ["a"])
        let remainder = try await move(fixture)
        #expect(try await remainder.seen(by: "anna").rows(since: position, limit: limit) == ["3", "1 moved", "4 moved"])
        try await fixture.user("late", channels: ["x"])
        #expect(try await remainder.seen(by: "late").rows(since: position, limit: limit) == [])
    }

    @Test("A reader who lost the channel before the move gets the departure in any batch size", arguments: [1, 100])
    func earlierLoss(limit: Int) async throws {
        let fixture = try await fixture()
        let position = try await fixture.collection("_default").seen(by: "anna").read().position
        try await fixture.user("anna")
        let remainder = try await move(fixture)
        let rows = try await remainder.seen(by: "anna").rows(since: position, limit: limit)
        #expect(rows == ["3 revoked a", "1 moved", "4 moved"])
    }

    @Test("A departed revision is read as removed; without departures it is missing")
    func reading() async throws {
        let fixture = try await fixture()
        let remainder = try await move(fixture)
        for keyspace in [remainder, remainder.seen(by: "anna")] {
            let rows = try await keyspace.changes(ChangesQuery()).rows
            let row = try #require(rows.first { $0.id == "1" })
            #expect(try await keyspace.body("1", row.revision) == #"{"_removed":true}"#)
            #expect(try await code { _ = try await keyspace.revision(.current, of: "1") } == .notFound)
        }
        #expect(try await remainder.seen(by: "anna").read { try $0.document("2") == nil })
        #expect(try await remainder.seen(by: "late").read { try $0.document("1") == nil })
        let silent = try await fixture.reopened { $0.departures = .silent }
        #expect(try await #require(silent.keyspace(.default)).read { try $0.document("1") == nil })
    }
}
