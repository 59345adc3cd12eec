import Coordination
import Documents
import Gateway
import Logging
import Migration
import SQLiteStorage
import Scripting
import Storage
import Testing

@testable import Cutover

/// An old server that is written to: each reading from the beginning has other documents.
private final class ChangingSource: MigrationSource {
    let label = "the old server"
    private let readings: [[SourceDocument]]
    private let begun = Lock(0)
    let isClosed = Lock(false)

    init(_ readings: [[SourceDocument]]) {
        self.readings = readings
    }

    var count: Int { begun.withLock { $0 } }

    func summary() async throws -> SourceSummary { SourceSummary(kind: "test") }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        guard cursor == nil else { return nil }
        let reading = begun.withLock { count in
            count += 1
            return readings[min(count, readings.count) - 1]
        }
        return SourceBatch(items: reading.map { .document($0) }, cursor: SourceCursor(rawValue: "end"))
    }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {}

    func close() async { isClosed.withLock { $0 = true } }
}

@Suite("Comparison of a database with its old server")
struct ParityTests {
    /// A document with one leaf per history, each history from the leaf on.
    private func document(_ id: String, _ histories: String...) throws -> SourceDocument {
        let histories = try (histories.isEmpty ? ["1-aa"] : histories).map { history in
            try history.split(separator: " ").map { try #require(RevisionID(String($0))) }
        }
        return SourceDocument(id: id, revisions: histories.map { SourceRevision(history: $0, body: Array("{}".utf8)) })
    }

    private static func imported(_ document: SourceDocument) -> ImportedDocument {
        ImportedDocument(
            id: document.id,
            revisions: document.revisions.map {
                RevisionWrite(id: document.id, kind: .replicated(history: $0.history, conflicts: .accept), isDeleted: false, body: $0.body)
            })
    }

    /// Compares a store with the documents `here` with an old server.
    private func compare(
        _ here: [SourceDocument], _ source: ChangingSource, countsExtras: Bool = true, countsOnlyLosses: Bool = false
    ) async throws -> ParityResult {
        let folder = try TemporaryStoreFolder()
        let store = try SQLiteStore(path: folder.path)
        let database = try await Database(
            configuration: DatabaseConfiguration(name: "shop"), store: store, scripts: ScriptEngine(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = try await database.importDocuments(try await database.planImport(here.map { Self.imported($0) })) { _, _ in }
        let result = try await ParityCheck(
            of: store, named: "shop", with: source, countsExtras: countsExtras, countsOnlyLosses: countsOnlyLosses
        ).run().result
        try await store.close()
        #expect(source.isClosed.withLock { $0 })
        return result
    }

    @Test("Equal sides need one reading")
    func same() async throws {
        let source = ChangingSource([[try document("a"), try document("b")]])
        let result = try await compare([try document("a"), try document("b")], source)
        #expect(result.differing == 0 && result.compared == 2 && result.failure == nil && source.count == 1)
    }

    @Test("A difference that is the same in each reading counts, and a replicating change does not")
    func lasting() async throws {
        let source = ChangingSource([
            [try document("a"), try document("lost"), try document("late", "1-11")], [try document("a"), try document("lost")],
        ])
        let result = try await compare([try document("a")], source)
        #expect(result.differing == 1 && result.kinds == ["missing": 1] && result.samples == ["lost"], "\(result)")
        #expect(source.count == 3)
    }

    @Test("A change from one reading to the next is not the same difference")
    func changing() async throws {
        let source = ChangingSource([[try document("a", "1-bb")], [try document("a", "2-cc")], [try document("a", "3-dd")]])
        #expect(try await compare([try document("a")], source).differing == 0)
        #expect(source.count == 2)
    }

    @Test("Documents that are only here count only where they should be there", arguments: [true, false])
    func extras(counts: Bool) async throws {
        let result = try await compare([try document("a")], ChangingSource([[]]), countsExtras: counts)
        #expect(result.differing == (counts ? 1 : 0) && result.compared == 1)
    }

    @Test("Before the first push, a write that is only here is no difference, and one that is only there is")
    func losses() async throws {
        let here = [
            try document("edited", "2-bb 1-aa"), try document("branched", "1-aa", "1-bb"), try document("new"), try document("same"),
            try document("behind", "1-aa"), try document("forked", "2-bb 1-aa"),
        ]
        let there = [
            try document("edited"), try document("branched"), try document("same"), try document("behind", "2-bb 1-aa"),
            try document("forked", "2-cc 1-aa"), try document("missing"),
        ]
        let result = try await compare(here, ChangingSource([there]), countsOnlyLosses: true)
        #expect(result.kinds == ["winner": 2, "missing": 1] && Set(result.samples) == ["behind", "forked", "missing"], "\(result)")
        #expect(try await compare(here, ChangingSource([there])).differing == 6)
    }
}
