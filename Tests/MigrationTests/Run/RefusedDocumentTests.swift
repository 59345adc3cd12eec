import Documents
import Foundation
import GRDB
import Gateway
import Migration
import Storage
import Testing

@Suite("Runs: documents that cannot be written, and what else a run carries over")
struct RefusedDocumentTests {
    private func run(_ source: any MigrationSource, _ database: Gateway.Database) async -> MigrationResult {
        await SourceMigration(source, to: database, head: Target.head).run { _ in }
    }

    @Test("What the store refuses costs its own document, and is kept with the reason")
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

    @Test("A document of a store expires in the next store when it would have expired in the first")
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
