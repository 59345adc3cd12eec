import Documents
import Gateway
import Migration
import Storage
import Testing

@Suite("In-place migration")
struct MigrationTests {
    private let orders = CollectionName(scope: "s", name: "orders")

    /// Five documents in the default collection: two orders, a deleted one, one without a route, and a conflicted order.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        for number in 1...3 { try await fixture.unified.push("order::\(number)", "1-aa", body: #"{"type":"order"}"#) }
        try await fixture.unified.push("order::3", "2-bb", "1-aa", deleted: true)
        try await fixture.unified.push("other", "1-aa", body: #"{"type":"other"}"#)
        try await fixture.unified.push("order::2", "1-cc", body: #"{"type":"order","n":2}"#)
        return fixture
    }

    private func database(_ fixture: Fixture, hidden: Bool = false) async throws -> Database {
        try await fixture.reopened {
            try $0.add("s.orders", hidden: hidden)
            try $0.route(.property(name: "type", equals: .string("order")), to: "s.orders")
        }
    }

    private func keyspace(_ database: Database) throws -> Keyspace {
        try #require(database.keyspace(orders))
    }

    private func remainder(_ database: Database) throws -> Keyspace {
        try #require(database.keyspace(.default))
    }

    @Test(
        "A run moves the documents of the routes, tombstones by their last live body and conflicts with all branches",
        arguments: [1, 2, 500])
    func run(batch: Int) async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let before = try await database.unified.feed()
        let summary = try await InPlaceMigration(database, batch: batch).run { _ in }
        #expect(summary.moved[orders]?.documents == 3)
        #expect(summary.moved[orders]?.tombstones == 1)
        #expect(summary.moved[orders]?.conflicts == 1)
        #expect(summary.moved[orders]?.examples == ["order::1", "order::2", "order::3"])
        #expect(summary.unmatched.documents == 1)
        #expect(summary.clashes.documents == 0)
        #expect(summary.examined == 4)
        #expect(try await keyspace(database).feed() == ["order::1@1-aa", "order::2@1-cc", "!order::3@2-bb"])
        #expect(try await keyspace(database).leaves("order::2") == ["1-cc", "1-aa"])
        #expect(try await remainder(database).feed() == ["other@1-aa"])
        #expect(try await database.unified.feed() == before)
        try await fixture.expectSound()
    }

    @Test("A preview counts the moves of a run, and writes nothing")
    func preview() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let (feed, sequence) = (try await remainder(database).feed(), try await database.unified.lastSequence())
        let preview = try await InPlaceMigration(database, batch: 2).preview { _ in }
        #expect(try await remainder(database).feed() == feed)
        #expect(try await database.unified.lastSequence() == sequence)
        #expect(try await database.moveRuns().isEmpty)
        #expect(try await InPlaceMigration(database, batch: 3).run { _ in } == preview)
    }

    @Test("A second run finds nothing to move")
    func repeated() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        _ = try await InPlaceMigration(database).run { _ in }
        let sequence = try await database.unified.lastSequence()
        let second = try await InPlaceMigration(database).run { _ in }
        #expect(second.moved.isEmpty)
        #expect(second.unmatched.documents == 1)
        #expect(try await database.unified.lastSequence() == sequence)
    }

    @Test("An interrupted run continues where it stopped, only with the same routes")
    func interrupted() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let first = Task {
            try await InPlaceMigration(database, batch: 1).run { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await keyspace(database).feed() == ["order::1@1-aa"])
        let summary = try await InPlaceMigration(database, batch: 1).run { _ in }
        #expect(summary.examined == 3)
        #expect(summary.moved[orders]?.documents == 2)
        #expect(try await database.moveRuns().map(\.state) == [.done])
        #expect(try await InPlaceMigration(database).revert { _ in }?.documents == 3)
        #expect(try await remainder(database).counts().live == 3)
        try await fixture.expectSound()
    }

    @Test("A document whose place is taken stays and is counted")
    func clash() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        try await keyspace(database).pushModern("order::1", "1-ff", body: #"{"mine":1}"#)
        let summary = try await InPlaceMigration(database).run { _ in }
        #expect(summary.clashes.documents == 1)
        #expect(summary.clashes.examples == ["order::1"])
        #expect(summary.moved[orders]?.documents == 2)
        #expect(try await keyspace(database).current("order::1") == #"1-ff {"mine":1}"#)
        #expect(try await database.unified.current("order::1") == #"1-aa {"type":"order"}"#)
        try await fixture.expectSound()
    }

    @Test("Attachments move with their documents and are counted")
    func attachments() async throws {
        let fixture = try await Fixture()
        let bytes = Array("bytes".utf8)
        let digest = AttachmentDigest.sha1(of: bytes)
        let set = AttachmentSet([AttachmentMetadata(name: "x", digest: digest, length: 5, revpos: 1)])
        try await fixture.unified.push("a", "1-aa", body: #"{"type":"order"}"#, attachments: set, bytes: [digest: bytes])
        let database = try await database(fixture)
        let summary = try await InPlaceMigration(database).run { _ in }
        #expect(summary.moved[orders]?.attachments == 1)
        #expect(try await keyspace(database).attachment(named: "x", of: "a", revision: .current).1.digest == digest)
        try await fixture.expectSound()
    }

    @Test("Progress is reported after each step")
    func progress() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let (stream, sink) = AsyncStream.makeStream(of: MigrationProgress.self)
        _ = try await InPlaceMigration(database, batch: 3).run { sink.yield($0) }
        sink.finish()
        let told = await stream.reduce(into: []) { $0.append($1) }
        #expect(told == [MigrationProgress(done: 3, total: 4), MigrationProgress(done: 4, total: 4)])
    }

    @Test(
        "A revert moves everything back, with later writes of both keyspaces, and a second revert changes nothing",
        arguments: [false, true])
    func revert(hidden: Bool) async throws {
        let fixture = try await fixture()
        let database = try await database(fixture, hidden: hidden)
        let before = try await remainder(database).feed()
        let migration = InPlaceMigration(database, batch: 2)
        _ = try await migration.run { _ in }
        try await database.unified.push("order::1", "2-bb", "1-aa", body: #"{"by":"legacy"}"#)
        try await keyspace(database).pushModern("order::2", "2-dd", "1-cc", body: #"{"by":"modern"}"#)
        #expect(try await migration.revert { _ in }?.documents == 3)
        #expect(try await keyspace(database).feed() == [])
        #expect(try await Set(remainder(database).feed()) == ["order::1@2-bb", "order::2@2-dd", "!order::3@2-bb", "other@1-aa"])
        #expect(before.count == 4)
        #expect(try await Set(database.unified.feed()) == ["order::1@2-bb", "order::2@2-dd", "!order::3@2-bb", "other@1-aa"])
        #expect(try await database.unified.current("order::1") == #"2-bb {"by":"legacy"}"#)
        let sequence = try await database.unified.lastSequence()
        #expect(try await migration.revert { _ in } == nil)
        #expect(try await database.unified.lastSequence() == sequence)
        try await fixture.expectSound()
    }

    @Test("After a revert, a late write to the collection is stored in the default collection, and a run moves everything again")
    func runAgain() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let migration = InPlaceMigration(database)
        _ = try await migration.run { _ in }
        _ = try await migration.revert { _ in }
        try await keyspace(database).pushModern("order::1", "2-bb", "1-aa", body: #"{"type":"order","late":1}"#)
        #expect(try await remainder(database).current("order::1") == #"2-bb {"type":"order","late":1}"#)
        #expect(try await migration.run { _ in }.moved[orders]?.documents == 3)
        #expect(try await keyspace(database).current("order::1") == #"2-bb {"type":"order","late":1}"#)
        try await fixture.expectSound()
    }

    @Test("A revert skips runs that moved nothing")
    func revertAfterRepeat() async throws {
        let fixture = try await fixture()
        let database = try await database(fixture)
        let migration = InPlaceMigration(database)
        _ = try await migration.run { _ in }
        _ = try await migration.run { _ in }
        #expect(try await migration.revert { _ in }?.documents == 3)
        #expect(try await remainder(database).feed().count == 4)
        #expect(try await migration.revert { _ in } == nil)
    }

    @Test("A reverted document is misplaced where the routes place it elsewhere, until a run moves it again", arguments: [false, true])
    func revertMisplaces(hidden: Bool) async throws {
        let fixture = try await fixture()
        let database = try await database(fixture, hidden: hidden)
        let migration = InPlaceMigration(database, batch: 2)
        _ = try await migration.run { _ in }
        try await keyspace(database).pushModern("order::1", "2-bb", "1-aa", body: #"{"type":"other"}"#)
        _ = try await migration.revert { _ in }
        #expect(try await remainder(database).counts().misplaced == 2)
        #expect(try await remainder(database).record("order::1").flags.contains(.misplaced) == false)
        #expect(try await remainder(database).record("order::2").flags.contains(.misplaced))
        try await fixture.expectSound()
        _ = try await migration.run { _ in }
        #expect(try await database.unified.counts().misplaced == 0)
        try await fixture.expectSound()
    }

    @Test("A revert without a run is refused")
    func nothing() async throws {
        let fixture = try await fixture()
        #expect(try await InPlaceMigration(fixture.database).revert { _ in } == nil)
    }
}
