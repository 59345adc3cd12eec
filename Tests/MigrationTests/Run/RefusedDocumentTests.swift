import Documents
import Foundation
import GRDB
import Gateway
import Migration
import SQLiteStorage
import Storage
import Testing

@Suite("Runs: documents that cannot be written, and further data of a store")
struct RefusedDocumentTests {
    private func run(_ source: any MigrationSource, _ database: Gateway.Database) async -> MigrationResult {
        await SourceMigration(source, to: database, head: Target.head).run { _ in }
    }

    @Test("A document that the store refuses is stored in quarantine with the reason, alone")
    func refused() async throws {
        let target = try Target()
        let database = try await target.database()
        let connection = try DatabaseQueue(path: target.path + "/store.sqlite")
        try await connection.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER refusing BEFORE INSERT ON documents WHEN NEW.unified_id IN ('b', 'd')
                    BEGIN SELECT RAISE(ABORT, 'not this one'); END
                    """)
        }
        let items = ["a", "b", "c", "d", "e"].map { document($0, revision("1-aa", #"{"id":"\#($0)"}"#)) }
        let result = await run(ListSource(items), database)
        #expect(result.failure == nil && !result.report.isClean)
        #expect(result.report.failures.items.map(\.id) == ["b", "d"])
        #expect(result.report.failures.items.allSatisfy { $0.reason.contains("not this one") })
        #expect(result.report.total.written.documents == 3)
        try await connection.write { try $0.execute(sql: "DROP TRIGGER refusing") }
        try connection.close()
        #expect(try await database.inSnapshot { try $0.quarantined(after: 0, limit: 10, withBytes: false) }.map(\.id) == ["b", "d"])
        try await database.close()
        #expect(try await target.contents().count == 3)
        try await target.expectSound()
    }

    @Test("A document of a store expires in the next store at the same time")
    func expiry() async throws {
        let (first, second) = (try Target(), try Target())
        let source = try await first.database()
        let time: Int64 = 4_000_000_000
        for (id, expiry) in [("soon", DocumentExpiry(time: time * 1_000)), ("never", nil)] {
            let history = [try #require(RevisionID("1-aa"))]
            let write = RevisionWrite(
                id: id, kind: .replicated(history: history, conflicts: .accept), isDeleted: false, body: Array("{}".utf8), expiry: expiry)
            _ = try await source.unified.write(write)
        }
        try await source.close()
        let database = try await second.database()
        let store = StoreSource(try SQLiteStore(path: first.path), label: "first")
        #expect(await run(store, database).failure == nil)
        await store.close()
        try await database.close()
        let copy = StoreSource(try SQLiteStore(path: second.path), label: "second")
        var found: [String: Int64?] = [:]
        for case .document(let document) in try await copy.batch(after: nil, limits: SourceBatchLimits())?.items ?? [] {
            found[document.id] = document.expiry
        }
        await copy.close()
        #expect(found == ["soon": time, "never": nil])
    }

    @Test("The next store knows which documents were in the default collection of apps")
    func wasInDefault() async throws {
        let (first, second) = (try Target(), try Target())
        let source = try await first.database()
        let orders = try #require(source.keyspace(CollectionName(scope: "s", name: "orders")))
        for (id, keyspace) in [("routed", source.unified), ("named", orders), ("plain", source.unified)] {
            let body = id == "plain" ? "{}" : #"{"type":"order"}"#
            let history = [try #require(RevisionID("1-aa"))]
            _ = try await keyspace.write(
                RevisionWrite(id: id, kind: .replicated(history: history, conflicts: .accept), isDeleted: false, body: Array(body.utf8)))
        }
        try await source.close()
        let database = try await second.database()
        let store = StoreSource(try SQLiteStore(path: first.path), label: "first")
        #expect(await run(store, database).failure == nil)
        await store.close()
        try await database.close()
        let copy = StoreSource(try SQLiteStore(path: second.path), label: "second")
        var found: [String: Bool] = [:]
        for case .document(let document) in try await copy.batch(after: nil, limits: SourceBatchLimits())?.items ?? [] {
            found[document.id] = document.origin?.wasInDefault
        }
        await copy.close()
        #expect(found == ["routed": true, "named": false, "plain": false])
    }

    @Test("4.x clients find their versions in the next store, and a document without one gets the time of its write")
    func versions() async throws {
        let (first, second) = (try Target(), try Target())
        let source = try await first.database()
        let client = ClientDatabase(client: "04e034d9-229a-4980-b477-fbce116c3413", keyspace: source.unified)
        func write(_ id: String, _ database: Gateway.Database, _ history: String...) async throws {
            let history = history.compactMap { RevisionID($0) }
            _ = try await database.unified.write(
                RevisionWrite(id: id, kind: .replicated(history: history, conflicts: .accept), isDeleted: false, body: Array("{}".utf8)))
        }
        func shown(_ database: Gateway.Database) async throws -> [String: VersionVector] {
            let rows = try await database.unified.changes(ChangesQuery()).rows
            let versions = try await database.unified.versions(of: rows)
            return Dictionary(zip(rows, versions).compactMap { row, version in version.map { (row.id, $0) } }) { $1 }
        }
        for id in ["shown", "edited"] { try await write(id, source, "1-aa") }
        let known = try await shown(source)
        try await source.unified.recordLegacyRevisions([("shown", [.tree(try #require(RevisionID("1-aa")))])], copy: client)
        try await write("edited", source, "2-bb", "1-aa")
        try await write("never", source, "1-aa")
        let written = UInt64(Date.now.timeIntervalSince1970 * 1_000) * 1_000_000
        try await source.close()
        let database = try await second.database()
        let store = StoreSource(try SQLiteStore(path: first.path), label: "first")
        // The second run finds everything there.
        for _ in 0..<2 { #expect(await run(store, database).failure == nil) }
        await store.close()
        let there = try await shown(database)
        #expect(there["shown"] == known["shown"])
        let (before, after) = (try #require(known["edited"]), try #require(there["edited"]))
        #expect(after.order(to: before) == .newer)
        for id in ["edited", "never"] { #expect(try #require(there[id]).current.time <= written) }
        let copy = ClientDatabase(client: "04e034d9-229a-4980-b477-fbce116c3413", keyspace: database.unified)
        let legacy = try await database.unified.read { snapshot in
            try snapshot.document("shown").flatMap { try snapshot.legacyRevision(of: $0, copy: copy) }
        }
        #expect(legacy?.text == "1-aa")
        try await database.close()
        try await second.expectSound()
    }

    @Test("A dry run names the documents whose attachments a run would not find")
    func dryRun() async throws {
        let target = try Target()
        let database = try await target.database()
        let large = [UInt8](repeating: 7, count: 200_000)
        let items = [
            document("there", revision("1-aa", attachments: attachment(large))),
            document("missing", revision("1-aa", attachments: attachment([9]))),
            document("plain", revision("1-aa")),
        ]
        let source = ListSource(items, attachments: [large])
        var options = MigrationOptions()
        options.missingAttachments = .quarantine
        let strict = await SourceMigration(source, to: database, options: options, head: Target.head).preview { _ in }
        #expect(strict.failure == nil)
        #expect(strict.report.failures.items.map(\.id) == ["missing"])
        #expect(strict.report.total.written.documents == 2)
        let result = await SourceMigration(source, to: database, head: Target.head).preview { _ in }
        #expect(result.report.isClean)
        #expect(result.report.missingAttachments.items.map(\.id) == ["missing"])
        #expect(result.report.total.written.documents == 3 && result.report.total.missingAttachments == 1)
        try await database.close()
    }
}
