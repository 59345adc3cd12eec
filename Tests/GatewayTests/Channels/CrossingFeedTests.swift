import Access
import Documents
import Testing

@testable import Gateway
@testable import SQLiteStorage
@testable import Storage

/// A user with other channels for one collection than for the others gains and loses documents by moves.
@Suite("Moves between collections with different grants")
struct CrossingFeedTests {
    /// Documents 1 (channel a), 2 (channel x), 3 (both) and 5 (c), which the route places in `sales.orders`, and 4 (a), which stays.
    private func fixture() async throws -> (Fixture, Database, CollectionKey) {
        let orders = try #require(CollectionName("sales.orders"))
        let fixture = try await Fixture {
            $0.collections = [CollectionConfiguration(name: orders, syncFunction: "function (doc) { channel(doc.channels); }")]
        }
        for (id, channels) in [("1", ["a"]), ("2", ["x"]), ("3", ["a", "x"]), ("5", ["c"])] {
            try await fixture.unified.put(id, channels: channels, with: #""type":"order""#)
        }
        try await fixture.unified.put("4", channels: ["a"])
        let database = try await fixture.reopened { try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders") }
        return (fixture, database, try #require(database.collectionKey(orders)))
    }

    private func move(_ database: Database) async throws {
        var steps = database.moveSteps(of: try await database.beginMoves(fingerprint: database.routesFingerprint))
        while try await steps.next(limit: 2) != nil {}
    }

    private func revert(_ database: Database) async throws {
        let run = try #require(try await database.moveRuns().last)
        var steps = database.revertSteps(of: run)
        while try await steps.next(limit: 2) != nil {}
    }

    /// Creates a user with these channels, and with others in their place for the collection.
    private func user(
        _ name: String, _ fixture: Fixture, _ channels: Set<String>, in collection: CollectionKey, _ own: Set<String>?
    ) async throws {
        var change = AccountChange()
        change.channels = channels
        change.collections = [collection: own]
        try await Accounts(fixture.store).put(.user(name), change)
    }

    @Test("A client that continues gets each document that becomes visible or hidden, and no other")
    func unified() async throws {
        let (fixture, database, orders) = try await fixture()
        try await user("anna", fixture, ["a"], in: orders, ["x"])
        let anna = database.unified.seen(by: "anna")
        let begin = try await anna.read().position
        try await move(database)
        let end = try await anna.read(since: begin).position
        for limit in [1, 2, 100] {
            #expect(try await anna.rows(since: begin, limit: limit) == ["1 removed *", "2"])
            #expect(try await anna.rows(since: end, limit: limit) == [])
        }
        #expect(try await anna.rows(since: begin) { $0.documentIDs = ["2", "3"] } == ["2"])
        #expect(try await anna.rows(since: begin) { $0.channels = ["a"] } == ["1 removed *", "3 removed *"])
        #expect(try await anna.rows(since: begin) { $0.activeOnly = true } == ["2"])
        let row = try #require(try await anna.changes(ChangesQuery()).rows.first { $0.id == "1" })
        #expect(try await anna.body("1", row.revision) == #"{"_removed":true}"#)
        try await revert(database)
        #expect(try await anna.rows(since: end) == ["1", "2 removed *"])
        try await fixture.expectSound()
    }

    @Test("A document that came from a collection which is hidden later is sent as well")
    func hiddenAfterwards() async throws {
        let (fixture, database, orders) = try await fixture()
        try await user("anna", fixture, ["a"], in: orders, ["x"])
        try await move(database)
        let end = try await database.unified.seen(by: "anna").read().position
        try await revert(database)
        let hiding = try await fixture.reopened {
            $0.collections = []
            try $0.add("sales.orders", hidden: true)
        }
        let anna = hiding.unified.seen(by: "anna")
        for limit in [1, 100] { #expect(try await anna.rows(since: end, limit: limit) == ["1", "2 removed *"]) }
    }

    @Test("A role's grants for one collection, and those of the collection's sync function, count like a user's")
    func otherGivers() async throws {
        let (fixture, _, orders) = try await fixture()
        var change = AccountChange()
        change.collections = [orders: ["x"]]
        try await Accounts(fixture.store).put(.role("team"), change)
        try await fixture.user("rita", channels: ["a"], roles: ["team"])
        try await fixture.user("olaf")
        let database = try await fixture.reopened {
            $0.collections = []
            let name = try #require(CollectionName("sales.orders"))
            $0.collections = [
                CollectionConfiguration(
                    name: name, syncFunction: "function (doc) { channel(doc.channels); if (doc.gives) access(doc.gives, 'c'); }")
            ]
            try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders")
        }
        let name = try #require(CollectionName("sales.orders"))
        try await #require(database.keyspace(name)).put("g", channels: [], with: #""gives":"olaf""#)
        let (rita, olaf) = (database.unified.seen(by: "rita"), database.unified.seen(by: "olaf"))
        let (first, second) = (try await rita.read().position, try await olaf.read().position)
        try await move(database)
        #expect(try await rita.rows(since: first) == ["2"])
        #expect(try await olaf.rows(since: second) == ["5"])
    }

    @Test("A user with * in one of the collections gets removals and documents by moves")
    func everything() async throws {
        let (fixture, database, orders) = try await fixture()
        try await user("cleo", fixture, ["*"], in: orders, ["x"])
        try await user("dora", fixture, [], in: orders, ["*"])
        let (cleo, dora) = (database.unified.seen(by: "cleo"), database.unified.seen(by: "dora"))
        let (first, second) = (try await cleo.read().position, try await dora.read().position)
        try await move(database)
        let (third, fourth) = (try await cleo.read(since: first).position, try await dora.read(since: second).position)
        for limit in [1, 100] {
            #expect(try await cleo.rows(since: first, limit: limit) == ["1 removed *", "5 removed *"])
            #expect(try await dora.rows(since: second, limit: limit) == ["1", "2", "3", "5"])
        }
        try await revert(database)
        #expect(try await cleo.rows(since: third) == ["1", "5"])
        #expect(try await dora.rows(since: fourth).sorted() == ["1", "2", "3", "5"].map { "\($0) removed *" })
    }

    @Test("A document that was granted and moved since is sent, whatever the size of the batches", arguments: [1, 2, 3, 100])
    func grantedBefore(limit: Int) async throws {
        let (fixture, database, orders) = try await fixture()
        try await user("anna", fixture, [], in: orders, ["a"])
        let anna = database.unified.seen(by: "anna")
        let begin = try await anna.read().position
        try await user("anna", fixture, ["a", "c"], in: orders, ["a"])
        try await move(database)
        #expect(try await anna.rows(since: begin, limit: limit).sorted() == ["1", "3", "4 again", "5 removed *"])
    }

    @Test("Without grants for single collections a move has no row and wakes no follower of the unified feed")
    func silent() async throws {
        let (fixture, database, orders) = try await fixture()
        try await fixture.user("anna", channels: ["a"])
        let anna = database.unified.seen(by: "anna")
        let begin = try await anna.read().position
        let commits = anna.follow()
        let first = commits.call(after: commits.mark) { _ in }
        try await move(database)
        #expect(try await anna.rows(since: begin) == [])
        #expect(fixture.store.waiterCount == 1)
        try await user("bert", fixture, [], in: orders, ["x"])
        #expect(fixture.store.waiterCount == 0)
        let second = commits.call(after: commits.mark) { _ in }
        try await revert(database)
        #expect(fixture.store.waiterCount == 0)
        withExtendedLifetime((first, second)) {}
    }
}
