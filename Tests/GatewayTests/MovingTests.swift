import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Moves")
struct MovingTests {
    /// One document `order::17` in the default collection, and the database that has a route for it.
    private func moved(_ departures: DeparturePolicy = .silent, hidden: Bool = false) async throws -> (Fixture, Database) {
        let fixture = try await Fixture()
        try await fixture.unified.push("order::17", "2-bb", "1-aa", body: #"{"n":1.0}"#)
        try await fixture.unified.push("stays", "1-aa")
        let database = try await fixture.reopened {
            $0.departures = departures
            try $0.add("s.orders", hidden: hidden)
            try $0.route(.idPrefix("order::"), to: "s.orders", strip: true)
        }
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: "test"))
        while try await steps.next(limit: 10) != nil {}
        return (fixture, database)
    }

    private func orders(_ database: Database) throws -> Keyspace {
        try #require(database.keyspace(CollectionName(scope: "s", name: "orders")))
    }

    private func remainder(_ database: Database) throws -> Keyspace {
        try #require(database.keyspace(.default))
    }

    @Test("A migration changes no bodies and no revision IDs")
    func sameRevision() async throws {
        let (fixture, database) = try await moved()
        for (keyspace, id) in [(database.unified, "order::17"), (try orders(database), "17")] {
            let content = try await keyspace.revision(.current, of: id)
            #expect(content.history.map(\.text) == ["2-bb", "1-aa"])
            #expect(content.body.properties == Array(#"{"n":1.0}"#.utf8))
        }
        try await fixture.expectSound()
    }

    @Test("A move changes only collectionSequence: the new collection's feed has the document, and the unified feed has no row")
    func sequences() async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("order::17", "1-aa")
        let before = try await fixture.unified.record("order::17")
        let end = try await fixture.unified.lastSequence()
        let database = try await fixture.reopened {
            try $0.add("s.orders")
            try $0.route(.idPrefix("order::"), to: "s.orders", strip: true)
        }
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: ""))
        #expect(try await steps.next(limit: 10)?.moved.values.first?.documents == 1)
        let after = try await database.unified.record("order::17")
        #expect(after.sequence == before.sequence)
        #expect(after.modified == before.modified)
        #expect(after.collectionSequence > end)
        #expect(after.key == before.key)
        #expect(try await database.unified.feed { $0.since = FeedPosition(end) } == [])
        #expect(try await orders(database).feed { $0.since = FeedPosition(end) } == ["17@1-aa"])
    }

    @Test("Documents with refused edits are stored by checkpoint, up to a limit, until the client has received them")
    func contested() async throws {
        let (fixture, database) = try await moved()
        let remainder = try remainder(database)
        try await remainder.contest(["stays", "order::17"], of: "cp", limit: 9)
        try await remainder.contest(["stays"], of: "full", limit: 0)
        #expect(try await remainder.contested(by: "cp") == ["stays", "order::17"])
        #expect(try await remainder.contested(by: "full") == [])
        #expect(try await database.unified.contested(by: "cp") == [])
        try await remainder.settle(["stays", "never"], of: "cp")
        try await remainder.contest(["order::17", "x", "y"], of: "cp", limit: 2)
        #expect(try await remainder.contested(by: "cp") == ["order::17", "x"])
        try await remainder.settle(["order::17", "x"], of: "cp")
        #expect(try await remainder.contested(by: "cp") == [])
        #expect(try await remainder.store.read { try $0.localDocument(.contested, in: remainder.scope, id: "cp") } == nil)
        try await fixture.expectSound()
    }

    @Test("departures: silent has no row in the old collection's feed")
    func silent() async throws {
        let (_, database) = try await moved()
        #expect(try await remainder(database).feed() == ["stays@1-aa"])
    }

    @Test("departures: notify has a row in the old collection's feed for clients that had received the document")
    func notify() async throws {
        let (_, database) = try await moved(.notify)
        let remainder = try remainder(database)
        #expect(try await remainder.feed() == ["stays@1-aa", "-order::17@2-bb"])
        #expect(try await remainder.feed { $0.activeOnly = true } == ["stays@1-aa"])
        #expect(try await remainder.feed { $0.descending = true } == ["-order::17@2-bb", "stays@1-aa"])
        #expect(try await remainder.feed { $0.documentIDs = ["order::17"] } == ["-order::17@2-bb"])
        #expect(try await database.unified.feed() == ["order::17@2-bb", "stays@1-aa"])
        let end = try await remainder.lastSequence()
        #expect(try await remainder.feed { $0.since = FeedPosition(end) } == [])
    }

    @Test("departures: notify loses no row between batches, whatever the number of moved documents")
    func manyNotices() async throws {
        let fixture = try await Fixture()
        for number in 1...7 { try await fixture.unified.push("order::\(number)", "1-aa") }
        let database = try await fixture.reopened {
            $0.departures = .notify
            try $0.add("s.orders")
            try $0.route(.idPrefix("order::"), to: "s.orders", strip: true)
        }
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: ""))
        _ = try await steps.next(limit: 10)
        for number in 1...3 { try await database.unified.push("new\(number)", "1-aa") }
        var query = ChangesQuery()
        query.limit = 3
        var rows: [ChangeRow] = []
        while true {
            let batch = try await remainder(database).changes(query)
            rows += batch.rows
            #expect(batch.rows.count <= 3)
            query.since = batch.position
            if batch.isCaughtUp { break }
            try #require(!batch.rows.isEmpty)
        }
        #expect(rows.map(\.id) == (1...7).map { "order::\($0)" } + (1...3).map { "new\($0)" })
        #expect(rows.map(\.sequence) == rows.map(\.sequence).sorted())
    }

    @Test("A write to the old place is applied where the document is now, and a read there is missing")
    func lateWrite() async throws {
        let (fixture, database) = try await moved()
        let (old, orders) = (try remainder(database), try orders(database))
        #expect(try await old.current("order::17") == nil)
        #expect(try await old.answer([Proposal(id: "order::17", revision: revision("3-cc"), parent: revision("2-bb"))]) == [.wanted])
        #expect(try await old.answer([Proposal(id: "order::17", revision: revision("2-bb"), parent: revision("1-aa"))]) == [.known])
        #expect(try await old.difference([(id: "order::17", revisions: [revision("2-bb")])]).isEmpty)
        try await old.pushModern("order::17", "3-cc", "2-bb", "1-aa", body: #"{"late":1}"#)
        #expect(try await orders.current("17") == #"3-cc {"late":1}"#)
        #expect(try await database.unified.current("order::17") == #"3-cc {"late":1}"#)
        #expect(try await old.current("order::17") == nil)
        #expect(try await old.feed() == ["stays@1-aa"])
        #expect(try await code { try await old.pushModern("order::17", "1-ff") } == .conflict)
        try await fixture.expectSound()
    }

    @Test("A move to a hidden collection removes the document from the unified keyspace, and late legacy writes still reach it")
    func hidden() async throws {
        let (fixture, database) = try await moved(hidden: true)
        #expect(try await database.unified.feed() == ["stays@1-aa"])
        #expect(try await database.unified.current("order::17") == nil)
        try await database.unified.push("order::17", "3-cc", "2-bb", body: #"{"late":1}"#)
        #expect(try await orders(database).current("17") == #"3-cc {"late":1}"#)
        #expect(try await database.unified.feed() == ["stays@1-aa"])
        try await fixture.expectSound()
    }
}
