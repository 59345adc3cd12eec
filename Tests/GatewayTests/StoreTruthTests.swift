import Access
import Documents
import Logging
import Migration
import SQLiteStorage
import Scripting
import Storage
import Testing

@testable import Gateway

/// The store has the collections and their sync functions; a configuration adds and describes them.
@Suite("Collections and functions of the store")
struct StoreTruthTests {
    private let orders = CollectionName(scope: "sales", name: "orders")
    private let byOwner = "function (doc) { channel('u-' + doc.owner); }"

    /// The store as a command opens it.
    private func command(_ fixture: Fixture, _ configure: (inout DatabaseConfiguration) throws -> Void) async throws -> Database {
        var configuration = try await DatabaseConfiguration.lastServed("command", from: fixture.store)
        try configure(&configuration)
        return try await Database(
            configuration: configuration, store: fixture.store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test"),
            use: .added)
    }

    private func add(_ id: String, _ body: String, to fixture: Fixture) async throws {
        try await fixture.unified.edit(id, body: body)
    }

    private func moved(_ configure: (inout DatabaseConfiguration) throws -> Void = { _ in }) async throws -> (Fixture, Database) {
        let fixture = try await Fixture(configure)
        try await fixture.user("olga", channels: ["u-olga", "a"])
        try await add("c::1", #"{"owner":"olga","channels":["a"]}"#, to: fixture)
        let database = try await command(fixture) {
            try $0.add("sales.orders")
            try $0.route(.idPrefix("c::"), to: "sales.orders")
        }
        _ = try await InPlaceMigration(database).run { _ in }
        return (fixture, database)
    }

    @Test("A collection that another process adds is served at once, and stays after a restart without it")
    func undescribed() async throws {
        let (fixture, _) = try await moved()
        for database in [fixture.database, try await fixture.reopened { _ in }] {
            let keyspace = database.unified.seen(by: "olga")
            #expect(try await keyspace.rows() == ["c::1"])
            #expect(try await keyspace.read { try $0.document("c::1") != nil })
            #expect(try await database.keyspace(orders)?.seen(by: "olga").rows() == ["c::1"])
            #expect(try await database.undescribedCollections().map(\.name) == [orders])
        }
        try await fixture.unified.put("c::1", channels: ["a"], with: #""n":2"#)
        #expect(try await fixture.unified.seen(by: "olga").rows() == ["c::1"], "the edit keeps its channel")
    }

    @Test("A move and a revert evaluate by the function that the store was served with")
    func functionKept() async throws {
        let (fixture, database) = try await moved { [self] in
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: byOwner)]
        }
        let place = try await fixture.unified.seen(by: "olga").read()
        #expect(place.rows == ["c::1"])
        #expect(try await InPlaceMigration(database).revert { _ in }?.documents == 1)
        #expect(try await fixture.unified.seen(by: "olga").rows(since: place.position) == [], "the feed has no row")
        #expect(try await fixture.unified.seen(by: "olga").rows() == ["c::1"])
        // The next configuration does not contain the default collection.
        let later = try await fixture.reopened { $0.collections = [] }
        try await later.unified.put("d", channels: [], with: #""owner":"olga""#)
        #expect(try await later.unified.seen(by: "olga").rows().sorted() == ["c::1", "d"])
    }

    @Test("The empty text means the default function")
    func defaultSaid() async throws {
        let (fixture, _) = try await moved { [self] in
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: byOwner)]
        }
        let later = try await fixture.reopened { $0.collections = [CollectionConfiguration(name: .default, syncFunction: "")] }
        try await later.unified.put("d", channels: ["a"], with: #""owner":"nobody""#)
        #expect(try await later.unified.seen(by: "olga").rows().contains("d"))
    }

    @Test("A dry run adds nothing, and reports the users whose view a function changes")
    func tried() async throws {
        let fixture = try await Fixture { [self] in
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: byOwner)]
        }
        try await fixture.user("olga", channels: ["u-olga"])
        try await fixture.user("paul", channels: ["a"])
        try await add("c::1", #"{"owner":"olga","channels":["a"]}"#, to: fixture)
        var configuration = try await DatabaseConfiguration.lastServed("command", from: fixture.store)
        configuration.collections = [CollectionConfiguration(name: orders, syncFunction: "")]
        try configuration.route(.idPrefix("c::"), to: "sales.orders")
        let database = try await Database(
            configuration: configuration, store: fixture.store, scripts: ScriptEngine(workers: 1), logger: Logger(label: "test"),
            use: .tried)
        let migration = InPlaceMigration(database)
        let sight = try await migration.sight(try await migration.preview { _ in }.sight)
        #expect(sight.lostDocuments == 1 && sight.losing.names == ["olga"])
        #expect(sight.gainedDocuments == 1 && sight.gaining.names == ["paul"])
        #expect(try await fixture.store.read { try $0.collections().count } == 1)
    }

    @Test("A move without a function of its own changes no user's view, and a channel with the collection's name gives no access")
    func collectionChannel() async throws {
        let fixture = try await Fixture()
        try await fixture.user("clerk", channels: ["orders"])
        try await add("o1", #"{"type":"order","channels":["vip"]}"#, to: fixture)
        try await add("o2", #"{"type":"order","channels":["orders"]}"#, to: fixture)
        let database = try await command(fixture) {
            try $0.add("sales.orders")
            try $0.route(.property(name: "type", equals: .string("order")), to: "sales.orders")
        }
        let summary = try await InPlaceMigration(database).run { _ in }
        #expect(try await database.accessChangeReport(summary.sight).isEmpty)
        #expect(try await fixture.unified.seen(by: "clerk").rows() == ["o2"])
        var change = AccountChange()
        change.collections[try #require(database.collectionKey(orders))] = ["orders"]
        try await Accounts(fixture.store).put(.user("manager"), change)
        #expect(try await fixture.collection("sales.orders").seen(by: "manager").rows().map { $0.prefix(2) } == ["o1", "o2"])
        var query = ChangesQuery()
        query.channels = ["orders"]
        let asked = query
        #expect(try await fixture.collection("sales.orders").seen(by: "manager").changes(asked).rows.count == 2)
        #expect(try await fixture.unified.changes(asked).rows.map(\.id) == ["o2"])
    }

    @Test("A command writes with the routes and functions that the store was served with")
    func commandWrites() async throws {
        let fixture = try await Fixture { [self] in
            $0.collections = [CollectionConfiguration(name: orders, syncFunction: byOwner)]
            try $0.route(.idPrefix("c::"), to: "sales.orders")
            try $0.route(.property(name: "n", equals: .number(1.5)), to: "sales.orders")
        }
        try await fixture.user("olga", channels: ["u-olga"])
        let database = try await command(fixture) { _ in }
        #expect(database.configuration.routes == fixture.database.configuration.routes)
        try await database.unified.edit("c::9", body: #"{"owner":"olga"}"#)
        #expect(try await fixture.collection("sales.orders").seen(by: "olga").rows() == ["c::9"])
    }

    @Test("A hidden collection is hidden only from legacy clients")
    func hidden() async throws {
        let (fixture, _) = try await moved()
        let later = try await fixture.reopened { try $0.add("sales.orders", hidden: true) }
        #expect(try await later.unified.seen(by: "olga").rows() == [])
        #expect(try await later.keyspace(orders)?.seen(by: "olga").rows() == ["c::1"])
        let revision = try await later.keyspace(orders)?.record("c::1").winner
        let missing = try await later.unified.seen(by: "olga").difference([("c::1", [try #require(revision)])])
        #expect(missing.isEmpty, "a client that has pushed it does not push it again")
    }

    private let granting = """
        function (doc) {
          channel(doc.channels);
          if (doc.member) { access(doc.member, doc.gives); role(doc.member, doc.roles); }
        }
        """

    @Test("A document that grants access grants the same after a move and a revert")
    func accessKept() async throws {
        let fixture = try await Fixture { [self] in
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: granting)]
        }
        try await fixture.user("olga", channels: [])
        try await add("c::1", #"{"channels":["team"],"member":"olga","gives":["team"],"roles":[]}"#, to: fixture)
        try await add("d", #"{"channels":["team"]}"#, to: fixture)
        let place = try await fixture.unified.seen(by: "olga").read()
        #expect(place.rows.count == 2)
        let database = try await command(fixture) {
            try $0.add("sales.orders")
            try $0.route(.idPrefix("c::"), to: "sales.orders")
        }
        let migration = InPlaceMigration(database)
        let summary = try await migration.run { _ in }
        #expect(try await migration.sight(summary.sight).isEmpty)
        #expect(try await fixture.unified.seen(by: "olga").rows(since: place.position) == [], "the feed has no row")
        #expect(try await fixture.unified.seen(by: "olga").rows() == place.rows)
        _ = try await migration.revert { _ in }
        #expect(try await fixture.unified.seen(by: "olga").rows(since: place.position) == [])
    }

    @Test("A dry run reports documents whose grants would differ under the collection's own function")
    func accessTold() async throws {
        let fixture = try await Fixture { [self] in
            $0.collections = [CollectionConfiguration(name: .default, syncFunction: granting)]
        }
        try await fixture.user("olga", channels: [])
        try await add("c::1", #"{"channels":["team"],"member":"olga","gives":["team"],"roles":[]}"#, to: fixture)
        let database = try await command(fixture) { [self] in
            $0.collections = [CollectionConfiguration(name: orders, syncFunction: granting)]
            try $0.route(.idPrefix("c::"), to: "sales.orders")
        }
        let migration = InPlaceMigration(database)
        let sight = try await migration.sight(try await migration.preview { _ in }.sight)
        #expect(sight.regrantingDocuments == 1)
        #expect(sight.regranted.names == [Grantee.user("olga").description])
        #expect(!sight.isEmpty)
    }

    @Test("A dry run reports documents that would be hidden from legacy clients")
    func hiddenTold() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders", hidden: true) }
        try await add("c::1", "{}", to: fixture)
        let database = try await command(fixture) { try $0.route(.idPrefix("c::"), to: "sales.orders") }
        let migration = InPlaceMigration(database)
        #expect(try await migration.sight(try await migration.preview { _ in }.sight).hiddenDocuments == 1)
        #expect(try await migration.sight(try await migration.run { _ in }.sight).hiddenDocuments == 1)
        #expect(try await fixture.unified.rows() == [])
    }

    @Test("A purged document that is created again is found by its old places")
    func purged() async throws {
        let (fixture, _) = try await moved()
        let winner = try await fixture.unified.record("c::1").winner
        #expect(try await fixture.unified.purge(["c::1"]) == ["c::1"])
        try await fixture.unified.push("c::1", "2-aa", winner.text)
        #expect(try await fixture.unified.record("c::1").collection == .default)
        try await fixture.collection("sales.orders").pushModern("c::1", "3-bb", "2-aa")
        #expect(try await fixture.unified.leaves("c::1") == ["3-bb"])
        #expect(try await fixture.unified.counts().live == 1)
    }

    @Test("Misplaced documents are counted again when the routes change")
    func misplaced() async throws {
        let fixture = try await Fixture { try $0.add("sales.orders") }
        try await add("c::1", "{}", to: fixture)
        try await add("x", "{}", to: fixture)
        let later = try await fixture.reopened { try $0.route(.idPrefix("c::"), to: "sales.orders") }
        #expect(try await !later.knowsMisplaced())
        while try await later.countMisplaced(limit: 1) {}
        #expect(try await later.knowsMisplaced())
        #expect(try await later.unified.counts().misplaced == 1)
        let without = try await later.store.read { try $0.lastSequence }
        #expect(try await fixture.store.read { try $0.lastSequence } == without)
        let last = try await fixture.reopened { $0.routes = [] }
        while try await last.countMisplaced(limit: 10) {}
        #expect(try await last.unified.counts().misplaced == 0)
    }
}
