import Coordination
import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

@Suite("A standby that was promoted, and that may lack the last commits")
struct PromotionTests {
    /// The numbers of a store.
    private struct Numbers: Equatable {
        let counter: Int64
        let commit: Int64
        let access: Int64
        let documents: Int64
        let channels: Int64
        let timeline: Int64?

        static func read(_ schema: TemporarySchema) throws -> Numbers {
            let row = try schema.connect().first(
                "SELECT counter, commit_number, access, access_everyone, document_key, channel_key, timeline FROM store"
            ) { row in
                #expect(row.integer(3) <= row.integer(2))
                return Numbers(
                    counter: row.integer(0), commit: row.integer(1), access: row.integer(2), documents: row.integer(4),
                    channels: row.integer(5), timeline: row.optionalInteger(6))
            }
            return try #require(row)
        }

        /// Whether all numbers are far above those of before.
        func isRaised(above before: Numbers) -> Bool {
            let far: Int64 = 1 << 31
            return counter >= before.counter + 50_000_000 && commit > before.commit + far && access > before.access + far
                && documents > before.documents + far && channels > before.channels + far
        }
    }

    /// A store with three documents, whose last commit has waited for a standby or not.
    private func filled(isSynchronous: Bool) async throws -> (schema: TemporarySchema, store: PostgreSQLStore) {
        let schema = try TemporarySchema()
        let store = try schema.open()
        for id in ["a", "b", "c"] { try await store.write { _ = try $0.add(id) } }
        try schema.change("UPDATE store SET is_synchronous = \(isSynchronous)")
        return (schema, store)
    }

    /// What a bridge does with a new connection to a server of a timeline.
    private func connect(_ check: PromotionCheck, _ schema: TemporarySchema, known: Int64) throws {
        try check.run(on: try schema.connect(), known: known)
    }

    private func check(_ timeline: Timeline) -> PromotionCheck { PromotionCheck { _ in Int64(timeline.value) } }

    /// The timeline of the server, which the test promotes.
    private final class Timeline: Sendable {
        private let number = Lock(1)
        var value: Int { number.withLock { $0 } }
        func promote() { number.withLock { $0 += 1 } }
    }

    @Test("Without a synchronous standby all numbers are raised, and a client with a lost sequence goes back to the last common one")
    func asynchronous() async throws {
        let (schema, store) = try await filled(isSynchronous: false)
        let before = try Numbers.read(schema)
        #expect(before.timeline != nil)
        try schema.change("UPDATE store SET timeline = timeline + 1")
        try schema.endConnections()
        try await store.write { _ = try $0.add("d") }
        let after = try Numbers.read(schema)
        #expect(after.isRaised(above: before) && after.timeline == before.timeline)
        #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "b", "c", "d"])
        let lost = SequenceNumber(before.counter + 7)
        #expect(try await store.read { try $0.fence(around: lost) } == SequenceNumber(before.counter))
        #expect(try await store.read { try $0.restores().numbers.count } == 2)
        try await store.expectSound()
        // It is done once.
        try schema.endConnections()
        try await store.write { _ = try $0.add("e") }
        #expect(try Numbers.read(schema).counter == after.counter + 1)
        try await store.close()
    }

    @Test("With a synchronous standby nothing is raised, unless this bridge has seen a later commit")
    func synchronous() async throws {
        let (schema, store) = try await filled(isSynchronous: true)
        try await store.close()
        let before = try Numbers.read(schema)
        try schema.change("UPDATE store SET timeline = 1")
        let timeline = Timeline()
        let bridge = check(timeline)
        try connect(bridge, schema, known: before.commit)
        timeline.promote()
        try connect(bridge, schema, known: before.commit)
        #expect(try Numbers.read(schema).counter == before.counter)
        #expect(try Numbers.read(schema).timeline == 2)
        timeline.promote()
        try connect(bridge, schema, known: before.commit + 1)
        #expect(try Numbers.read(schema).isRaised(above: before))
    }

    @Test("A bridge that has seen lost commits raises the numbers although another one has written on; both do it once")
    func second() async throws {
        let (schema, store) = try await filled(isSynchronous: true)
        let before = try Numbers.read(schema)
        try schema.change("UPDATE store SET timeline = 1")
        let timeline = Timeline()
        let (first, second, third) = (check(timeline), check(timeline), check(timeline))
        for bridge in [first, second, third] { try connect(bridge, schema, known: before.commit) }
        timeline.promote()
        try connect(first, schema, known: before.commit)
        try await store.write { _ = try $0.add("d") }
        try connect(second, schema, known: before.commit + 2)
        let raised = try Numbers.read(schema)
        #expect(raised.isRaised(above: before))
        // The document that was written meanwhile has the sequence of a lost one.
        #expect(try schema.connect().first("SELECT lower FROM fences") { $0.integer(0) } == before.counter)
        try connect(third, schema, known: before.commit + 2)
        #expect(try Numbers.read(schema) == raised)
        try await store.close()
    }

    @Test("What a bridge reads on the new timeline before its first write there is not lost")
    func readBefore() async throws {
        let (schema, store) = try await filled(isSynchronous: true)
        let before = try Numbers.read(schema)
        try schema.change("UPDATE store SET timeline = 1")
        let timeline = Timeline()
        let (first, second) = (check(timeline), check(timeline))
        for bridge in [first, second] { try connect(bridge, schema, known: before.commit) }
        timeline.promote()
        try connect(first, schema, known: before.commit)
        try await store.write { _ = try $0.add("d") }
        try second.requireCompared(try schema.connect(), known: before.commit)
        try connect(second, schema, known: before.commit + 1)
        #expect(try Numbers.read(schema).counter == before.counter + 1)
        try await store.close()
    }

    @Test("A process that starts after the promotion raises the numbers where nobody knows that nothing is lost")
    func started() async throws {
        for isSynchronous in [true, false] {
            let (schema, store) = try await filled(isSynchronous: isSynchronous)
            try await store.close()
            let before = try Numbers.read(schema)
            try schema.change("UPDATE store SET timeline = 0")
            try await schema.open().close()
            #expect(try Numbers.read(schema).isRaised(above: before) == !isSynchronous)
        }
    }

    @Test("Reads wait for the comparison, but those of commands that only read do not")
    func reads() async throws {
        let (schema, store) = try await filled(isSynchronous: true)
        try schema.change("UPDATE store SET timeline = 0")
        // A connection for reading that is made now.
        await expectError(.busy) { _ = try await store.read { try $0.feedIDs(.unified) } }
        let reader = try schema.open { $0.isReadOnly = true }
        #expect(try await reader.read { try $0.feedIDs(.unified) } == ["a", "b", "c"])
        try await reader.close()
        try await store.close()
    }

    @Test("A commit that this bridge has only read counts as seen")
    func shown() async throws {
        let schema = try TemporarySchema()
        let reader = try schema.open { $0.listens = false }
        let writer = try schema.open()
        try await writer.write { _ = try $0.add("a") }
        #expect(try await reader.read { try $0.feedIDs(.unified) } == ["a"])
        try await writer.close()
        let before = try Numbers.read(schema)
        try schema.change("UPDATE store SET is_synchronous = true, timeline = timeline + 1, commit_number = commit_number - 1")
        try schema.endConnections()
        try await reader.write { _ = try $0.add("b") }
        #expect(try Numbers.read(schema).isRaised(above: before))
        try await reader.close()
    }

    @Test("A server that does not tell its timeline is not compared")
    func untold() async throws {
        let url = try TestPostgreSQL.separate()
        for sql in [
            "CREATE ROLE limited LOGIN", "GRANT CREATE ON DATABASE postgres TO limited",
            "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC",
        ] { try TestPostgreSQL.psql(url, sql) }
        let schema = try TemporarySchema(at: url.replacing("dualgauge@", with: "limited@"))
        let store = try schema.open()
        try await store.write { _ = try $0.add("a") }
        #expect(try await store.read { try $0.feedIDs(.unified) } == ["a"])
        #expect(try Numbers.read(schema).timeline == nil)
        try await store.close()
    }

    @Test("A commit that was cut off while it waited for a standby is acknowledged only when the standby has it")
    func unreplicated() async throws {
        let url = try TestPostgreSQL.separate()
        try TestPostgreSQL.psql(url, "ALTER ROLE dualgauge SET synchronous_commit = on")
        let schema = try TemporarySchema(at: url)
        let store = try schema.open()
        try await store.write { _ = try $0.add("a") }
        try require("a standby that is not there", schema)
        let written = Task { try await store.write { _ = try $0.add("b") } }
        let first = try await waiting(schema)
        try TestPostgreSQL.psql(url, "SELECT pg_terminate_backend(\(first), 10000)")
        // The commit is visible, and a further one waits for the standby.
        #expect(try await waiting(schema, besides: first) != first)
        #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "b"])
        try require("", schema)
        try await written.value
        try await store.close()
    }

    /// Sets the standbys for which commits wait, and returns when it holds.
    private func require(_ standby: String, _ schema: TemporarySchema) throws {
        try TestPostgreSQL.psql(schema.url, "ALTER SYSTEM SET synchronous_standby_names = '\(standby.isEmpty ? "" : "\"\(standby)\"")'")
        try TestPostgreSQL.psql(schema.url, "SELECT pg_reload_conf()")
    }

    /// The process that waits for a standby.
    private func waiting(_ schema: TemporarySchema, besides other: Int64 = 0) async throws -> Int64 {
        let connection = try schema.connect()
        var found: Int64?
        await eventually {
            found = try? connection.first(
                "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> $1", other
            ) { $0.integer(0) }
            return found != nil
        }
        return try #require(found)
    }
}
