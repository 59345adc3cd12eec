import Documents
import SQLiteStorage
import Storage
import Testing

@testable import Gateway

@Suite("Collections that are hidden or shown again while they contain documents")
struct VisibilityTests {
    private let name = CollectionName(scope: "s", name: "orders")

    /// Seven orders of a collection whose prefix is stripped, one of them from a 2.x+ client, and one document elsewhere.
    private func fixture(hidden: Bool = false) async throws -> Fixture {
        let fixture = try await Fixture { try Self.configure(&$0, hidden: hidden) }
        for number in 1...6 { try await fixture.unified.push("order::\(number)", "1-aa", body: #"{"n":1.0}"#) }
        try await fixture.collection("s.orders").pushModern("7", "1-bb")
        try await fixture.unified.push("order::2", "2-cc", "1-aa", deleted: true)
        try await fixture.unified.push("other", "1-aa")
        return fixture
    }

    private static func configure(_ configuration: inout DatabaseConfiguration, hidden: Bool) throws {
        configuration.collections = []
        configuration.routes = []
        try configuration.add("s.orders", hidden: hidden)
        try configuration.route(.idPrefix("order::"), to: "s.orders", strip: true)
    }

    private func reopened(_ fixture: Fixture, hidden: Bool) async throws -> Database {
        try await fixture.reopened { try Self.configure(&$0, hidden: hidden) }
    }

    private func orders(_ database: Database) throws -> Keyspace {
        try #require(database.keyspace(name))
    }

    /// Changes the flag and does `steps` batches of two, as a process does that is killed then.
    private func begin(_ database: Database, hidden: Bool, steps: Int) async throws {
        let key = try await database.store.write { try $0.putCollection(scope: "s", name: "orders", isHidden: hidden).key }
        for _ in 0..<steps { _ = try await database.hidingStep(in: key, limit: 2) }
    }

    @Test("Hiding a collection removes its documents from the unified keyspace only, and counts are right")
    func hides() async throws {
        let fixture = try await fixture()
        let before = try await fixture.collection("s.orders").feed()
        let database = try await reopened(fixture, hidden: true)
        #expect(try await database.unified.feed() == ["other@1-aa"])
        #expect(try await database.unified.counts() == DocumentCounts(live: 1))
        #expect(try await orders(database).counts() == DocumentCounts(live: 6, tombstones: 1))
        #expect(try await orders(database).feed() == before)
        #expect(try await orders(database).current("1") == #"1-aa {"n":1.0}"#)
        #expect(try await database.unified.current("order::1") == nil)
        try await fixture.expectSound()
    }

    @Test("Late writes of old clients still reach documents of a hidden collection, which stay hidden")
    func lateWrites() async throws {
        let fixture = try await fixture()
        let database = try await reopened(fixture, hidden: true)
        try await database.unified.push("order::1", "2-dd", "1-aa", body: #"{"late":1}"#)
        #expect(try await orders(database).current("1") == #"2-dd {"late":1}"#)
        #expect(try await database.unified.feed() == ["other@1-aa"])
        #expect(try await database.unified.difference([(id: "order::7", revisions: [revision("1-bb")])]).isEmpty)
        try await fixture.expectSound()
    }

    @Test("Documents that are shown again have their legacy IDs, and are at the end of the unified feed")
    func showsAgain() async throws {
        let fixture = try await fixture()
        let feed = try await fixture.collection("s.orders").feed()
        _ = try await reopened(fixture, hidden: true)
        let end = try await fixture.unified.lastSequence()
        let database = try await reopened(fixture, hidden: false)
        let rows = ["1@1-aa", "3@1-aa", "4@1-aa", "5@1-aa", "6@1-aa", "7@1-bb"].map { "order::\($0)" } + ["!order::2@2-cc"]
        #expect(try await Set(database.unified.feed { $0.since = FeedPosition(end) }) == Set(rows))
        #expect(try await orders(database).feed() == feed)
        #expect(try await orders(database).feed { $0.since = FeedPosition(end) } == [])
        #expect(try await database.unified.counts() == DocumentCounts(live: 7, tombstones: 1))
        try await database.unified.push("order::1", "2-dd", "1-aa")
        #expect(try await orders(database).record("1").winner.text == "2-dd")
        #expect(try await fixture.store.read { try $0.departure(from: .unified, id: "order::1") } == nil)
        try await fixture.expectSound()
    }

    @Test("Documents that are shown for the first time get the legacy IDs of the routes, or qualified ones where they are taken")
    func showsFirst() async throws {
        let fixture = try await fixture(hidden: true)
        let orders = try fixture.collection("s.orders")
        try await fixture.collection("_default._default").pushModern("order::8", "1-ee")
        try await orders.pushModern("8", "1-ff")
        try await orders.pushModern("9", "1-ff")
        let database = try await reopened(fixture, hidden: false)
        #expect(try await database.unified.current("order::8") == "1-ee {}")
        #expect(try await database.unified.current("s.orders::8") == "1-ff {}")
        #expect(try await database.unified.current("order::9") == "1-ff {}")
        #expect(try await database.unified.current("order::1") == #"1-aa {"n":1.0}"#)
        #expect(try await database.unified.counts().qualified == 1)
        try await fixture.expectSound()
    }

    @Test("A qualified legacy ID is the same after the collection was hidden, and is still counted")
    func qualifiedStays() async throws {
        let fixture = try await fixture()
        try await fixture.collection("_default._default").pushModern("order::8", "1-ee")
        try await fixture.collection("s.orders").pushModern("8", "1-ff")
        let hidden = try await reopened(fixture, hidden: true)
        #expect(try await hidden.unified.counts().qualified == 0)
        #expect(try await orders(hidden).counts().qualified == 1)
        try await fixture.expectSound()
        let shown = try await reopened(fixture, hidden: false)
        #expect(try await shown.unified.current("s.orders::8") == "1-ff {}")
        #expect(try await shown.unified.counts().qualified == 1)
        try await fixture.expectSound()
    }

    @Test("An interrupted change continues at the next start, and the store is consistent meanwhile", arguments: [true, false], 0...4)
    func interrupted(hides: Bool, steps: Int) async throws {
        let fixture = try await fixture(hidden: !hides)
        try await begin(fixture.database, hidden: hides, steps: steps)
        try await fixture.expectSound()
        let left = try await fixture.store.read { try $0.collections().map(\.pending) }
        #expect(left[1]?.value ?? 99 >= 0)
        // Writes in the meantime are right either way.
        try await fixture.unified.push("order::1", "2-dd", "1-aa", body: #"{"late":1}"#)
        try await fixture.unified.push("order::10", "1-aa")
        let database = try await reopened(fixture, hidden: hides)
        #expect(try await fixture.store.read { try $0.collections().compactMap(\.pending) } == [])
        #expect(try await database.unified.counts().live == (hides ? 1 : 8))
        #expect(try await orders(database).counts() == DocumentCounts(live: 7, tombstones: 1))
        #expect(try await orders(database).current("1") == #"2-dd {"late":1}"#)
        #expect(try await database.unified.current("order::10") == (hides ? nil : "1-aa {}"))
        try await fixture.expectSound()
    }

    @Test("After a reversal in the middle, all documents follow the last setting", arguments: [true, false], 0...4)
    func turnedRound(hides: Bool, steps: Int) async throws {
        let fixture = try await fixture(hidden: !hides)
        try await begin(fixture.database, hidden: hides, steps: steps)
        let database = try await reopened(fixture, hidden: !hides)
        #expect(try await database.unified.counts().live == (hides ? 7 : 1))
        #expect(try await Set(database.unified.feed()).count == (hides ? 8 : 1))
        #expect(try await fixture.store.read { try $0.collections().compactMap(\.pending) } == [])
        try await fixture.expectSound()
    }

    @Test("Many changes lose and duplicate nothing, and revisions stay unchanged")
    func backAndForth() async throws {
        let fixture = try await fixture()
        let before = try await (Set(fixture.unified.feed()), fixture.collection("s.orders").feed(), fixture.unified.counts())
        for _ in 0..<3 {
            _ = try await reopened(fixture, hidden: true)
            _ = try await reopened(fixture, hidden: false)
        }
        #expect(try await Set(fixture.unified.feed()) == before.0)
        #expect(try await fixture.collection("s.orders").feed() == before.1)
        #expect(try await fixture.unified.counts() == before.2)
        try await fixture.expectSound()
    }

    @Test("A process with an old configuration places documents by the store's setting")
    func otherProcess() async throws {
        let fixture = try await fixture()
        let database = try await reopened(fixture, hidden: true)
        try await fixture.unified.push("order::20", "1-aa")
        try await fixture.collection("s.orders").pushModern("21", "1-aa")
        #expect(try await database.unified.feed() == ["other@1-aa"])
        #expect(try await orders(database).counts().live == 8)
        try await fixture.expectSound()
    }

    @Test("A database that is opened to leave visibility unchanged writes nothing")
    func leftAlone() async throws {
        let fixture = try await fixture()
        let feed = try await fixture.unified.feed()
        var configuration = fixture.database.configuration
        try Self.configure(&configuration, hidden: true)
        let database = try await Database(
            configuration: configuration, store: fixture.store, scripts: fixture.database.scripts, logger: fixture.database.logger,
            use: .added)
        #expect(try await database.unified.feed() == feed)
        #expect(try await fixture.store.read { try $0.collections().map(\.isHidden) } == [false, false])
        try await fixture.expectSound()
    }

    @Test("The entries of a document in its channels' unified feeds are removed, and return with its new sequence")
    func channels() async throws {
        let fixture = try await Fixture { try Self.configure(&$0, hidden: false) }
        try await fixture.unified.push("order::1", "1-aa", body: #"{"channels":["stays","left"]}"#)
        try await fixture.unified.push("order::1", "2-bb", "1-aa", body: #"{"channels":["stays"]}"#)
        let key = try #require(try await fixture.unified.record("order::1").key)
        let before = try await fixture.store.read { try $0.channels(of: key) }
        #expect(before.count >= 2 && before.allSatisfy { $0.sequence != nil })
        let hidden = try await reopened(fixture, hidden: true)
        let entries = try await fixture.store.read { try $0.channels(of: key) }
        #expect(entries.allSatisfy { $0.sequence == nil })
        #expect(entries.map(\.collectionSequence) == before.map(\.collectionSequence))
        try await orders(hidden).pushModern("1", "3-cc", "2-bb", body: #"{"channels":["stays"]}"#)
        let shown = try await reopened(fixture, hidden: false)
        let sequence = try await shown.unified.record("order::1").sequence
        let after = try await fixture.store.read { try $0.channels(of: key) }
        #expect(after.allSatisfy { $0.sequence == sequence })
        #expect(after.first { $0.channel == "left" }?.isCurrent == false)
        try await fixture.expectSound()
    }

    @Test("A document that was moved into a collection that is hidden later is reverted with its legacy ID", arguments: [false, true])
    func revert(showsAgain: Bool) async throws {
        let fixture = try await Fixture()
        try await fixture.unified.push("order::1", "1-aa")
        var database = try await reopened(fixture, hidden: false)
        let run = try await database.beginMoves(fingerprint: "")
        var moves = database.moveSteps(of: run)
        _ = try await moves.next(limit: 10)
        database = try await reopened(fixture, hidden: true)
        if showsAgain { database = try await reopened(fixture, hidden: false) }
        var reverts = database.revertSteps(of: run)
        #expect(try await reverts.next(limit: 10)?.documents == 1)
        #expect(try await database.unified.feed() == ["order::1@1-aa"])
        #expect(try await database.keyspace(.default)?.feed() == ["order::1@1-aa"])
        #expect(try await orders(database).feed() == [])
        try await fixture.expectSound()
    }
}
