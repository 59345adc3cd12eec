import Documents
import Gateway
import SQLiteStorage
import Storage
import Testing

@testable import Migration

@Suite("Documents of a dump that are read in parts")
struct DumpPartsTests {
    private static func row(_ id: String, _ revision: String, _ parent: String? = nil, _ members: String = "") -> String {
        let start = revision.prefix { $0 != "-" }
        let ids = [revision, parent].compactMap { $0 }.map { "\"\($0.drop { $0 != "-" }.dropFirst())\"" }
        return
            "{\"_id\":\"\(id)\",\"_rev\":\"\(revision)\",\"_revisions\":{\"start\":\(start),\"ids\":[\(ids.joined(separator: ","))]}\(members)}"
    }

    /// Seven rows of `a`, in parts of three. A part's types and winner differ from those of the whole. One of the leaves is the parent of
    /// another one, in another part. The winner names the others as conflicts.
    private static let rows = [
        row("a", "2-b1", "1-a", #","type":"order""#), row("b", "1-x"), row("a", "2-b2", "1-a", #","_deleted":true"#),
        row("a", "2-b3", "1-a"), row("user::c", "1-x"), row("a", "2-b4", "1-a", #","type":"user""#),
        row("a", "3-c1", "2-b1", #","_deleted":true"#),
        row("d", "1-x"), row("a", "2-b5", "1-a", #","_attachments":{"p":{"content_type":"text/plain","data":"aGk="}}"#),
        row("a", "2-b6", "1-a", #","_conflicts":["2-b5","2-b4","2-b3","2-zz"]"#),
    ]

    private func source(
        _ rows: [String], _ scratch: Scratch, _ limits: DumpIndex.PartLimits = .init(rows: 3), isCompressed: Bool = false
    ) throws -> DumpSource {
        let text = Array(rows.joined(separator: "\n").utf8)
        return try DumpSource(
            path: try scratch.write(isCompressed ? Gzip.compress(text) : text, to: "dump-\(rows.count).json"), partLimits: limits)
    }

    @Test("The parts have as many rows or bytes as memory allows, and the first part has the properties of all", arguments: [false, true])
    func parts(isCompressed: Bool) async throws {
        let scratch = try Scratch()
        let items = try await SourceReading.items(try source(Self.rows, scratch, isCompressed: isCompressed))
        let parts = items.documents.filter { $0.id == "a" }
        #expect(parts.map(\.revisions.count) == [3, 3, 1])
        #expect(parts.map { $0.part?.whole } == [.init(isDeleted: false, isConflicted: true), nil, nil])
        #expect(Set(parts.compactMap { $0.part?.place }).count == 3)
        #expect(items.documents.filter { $0.id != "a" }.allSatisfy { $0.part == nil })
        // One of the named leaves has no row at all.
        #expect(items.faults.map(\.revision) == ["2-zz"])
        let small = try await SourceReading.items(try source(Self.rows, scratch, .init(bytes: 120)))
        #expect(small.documents.filter { $0.id == "a" }.count == 7)
    }

    @Test("Dry run, run, report and comparison agree about them", arguments: [1, 2, 500], [false, true])
    func oneTruth(batch: Int, isCompressed: Bool) async throws {
        let scratch = try Scratch()
        let rows = Self.rows.map { $0.replacing(",\"2-zz\"", with: "") }
        let source = try source(rows, scratch, isCompressed: isCompressed)
        let target = try Target()
        let database = try await target.database()
        var options = MigrationOptions()
        options.batch.documents = batch
        let migration = SourceMigration(source, to: database, options: options, head: Target.head)
        let dry = await migration.preview { _ in }
        let result = await migration.run { _ in }
        #expect(dry.report.collections == result.report.collections)
        #expect(result.report.isClean, "\(result.report.failures.items)")
        let total = result.report.total
        #expect(
            total.documents == 4 && total.conflicts == 1 && total.tombstones == 0 && total.written.documents == 4 && total.attachments == 1)
        try await database.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        let forward = try await Verification(source, store, limits: options.batch).run(after: result.cursor)
        #expect(forward.isEqual && forward.equal == 4 && forward.compared == 4, "\(forward.differences.items)")
        let backward = try await Verification(store, source, limits: options.batch).run()
        #expect(backward.isEqual && backward.equal == 4 && backward.compared == 4, "\(backward.differences.items)")
        let losses = try await Verification(store, source, limits: options.batch, countsOnlyLosses: true).run()
        #expect(losses.isEqual && losses.equal == 4)
        #expect(try await Verification(source, source, limits: options.batch).run().equal == 4)
        await store.close()
        try await target.expectSound()
    }

    @Test("A leaf that one side lacks is reported, in any part", arguments: ["2-b3", "2-b4", "2-b6", "3-c1"])
    func lost(leaf: String) async throws {
        let scratch = try Scratch()
        let whole = try source(Self.rows, scratch)
        let part = try source(Self.rows.filter { !$0.contains("\"_rev\":\"\(leaf)\"") }, scratch)
        #expect(try await Verification(whole, part).run().differences.items.map(\.id) == ["a"])
        #expect(try await Verification(part, whole).run().differences.items.map(\.id) == ["a"])
    }

    @Test("A run that restarts after each batch counts them once")
    func resumed() async throws {
        let scratch = try Scratch()
        let target = try Target()
        let database = try await target.database()
        let control = MigrationControl()
        var options = MigrationOptions()
        options.batch.documents = 1
        var runs = 0
        var result: MigrationResult
        repeat {
            runs += 1
            let stopping = MigrationControl()
            result = await SourceMigration(
                try source(Self.rows, scratch), to: database, options: options, head: Target.head, control: runs < 40 ? stopping : control
            ).run { if $0.done > 0 { stopping.stop() } }
        } while result.report.run.state == .interrupted
        #expect(runs > 3 && result.report.run.state == .finished)
        #expect(result.report.total.documents == 4 && result.report.total.conflicts == 1)
        try await database.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        #expect(try await Verification(try source(Self.rows, scratch), store).run().isEqual)
        await store.close()
    }

    @Test("Each part that cannot be written is in quarantine by itself, and is removed when it is written")
    func quarantined() async throws {
        let scratch = try Scratch()
        let target = try Target()
        let database = try await target.database { $0.limits.documentSize = 100 }
        let large = #","x":"\#(String(repeating: "x", count: 200))""#
        let rows = (0..<6).map { Self.row("a", "2-b\($0)", "1-a", $0 % 2 == 0 ? large : "") }
        let limits = DumpIndex.PartLimits(rows: 1)
        _ = await SourceMigration(try source(rows, scratch, limits), to: database, head: Target.head).run { _ in }
        #expect(try await Quarantine(database).count() == 3)
        try await database.close()
        let roomy = try await target.database()
        let retried = try await Quarantine(roomy).retry(from: nil)
        #expect(retried.written == 3 && retried.remaining.isEmpty)
        try await roomy.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        #expect(try await Verification(try source(rows, scratch, limits), store).run().isEqual)
        await store.close()
    }
}
