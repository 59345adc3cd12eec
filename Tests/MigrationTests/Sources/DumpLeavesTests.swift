import Documents
import Foundation
import Gateway
import Migration
import SQLiteStorage
import Storage
import TestSupport
import Testing

@Suite("Dumps with several rows per document")
struct DumpLeavesTests {
    private static func row(_ id: String, _ history: String, _ number: Int) -> String {
        let ids = history.split(separator: " ").map { String($0.drop { $0 != "-" }.dropFirst()) }
        let start = history.prefix { $0 != "-" }
        return
            "{\"_id\":\"\(id)\",\"_rev\":\"\(history.prefix { $0 != " " })\",\"n\":\(number),\"_revisions\":{\"start\":\(start),"
            + "\"ids\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]}}"
    }

    /// Leaves of `a` at both ends, and an ancestor of one of them between.
    private static let rows =
        [row("a", "2-bbb 1-aaa", 1)] + (0..<9).map { row("d\($0)", "1-aa", $0) } + [row("a", "1-aaa", 2)]
        + (10..<19).map { row("d\($0)", "1-aa", $0) } + [row("a", "2-ccc 1-aaa", 3)]

    private static let forms: [(name: String, text: String)] = [
        ("lines", rows.joined(separator: "\n")), ("array", "[" + rows.joined(separator: ",") + "]"),
        ("couchbackup", rows.map { "[\($0)]" }.joined(separator: "\n")),
        ("rows", "{\"rows\":[\n" + rows.map { "{\"id\":\"x\",\"value\":{},\"doc\":\($0)}" }.joined(separator: ",\n") + "\n]}"),
    ]

    @Test("The rows are read as one document, in any form and batch size", arguments: 0..<4, [false, true])
    func merged(form: Int, isCompressed: Bool) async throws {
        let scratch = try Scratch()
        let text = Array(Self.forms[form].text.utf8)
        let path = try scratch.write(isCompressed ? Gzip.compress(text) : text, to: "dump.json")
        for items in [
            try await SourceReading.items(try SourceOpener.open(path: path)), try await SourceReading.itemsReopening(path),
        ] {
            #expect(items.faults.isEmpty)
            #expect(items.documents.count == 19)
            let document = try #require(items.document("a"))
            #expect(document.revisions.map { $0.history.map(\.text) } == [["1-aaa"], ["2-bbb", "1-aaa"], ["2-ccc", "1-aaa"]])
            #expect(document.revisions.map(\.isLeaf) == [false, true, true])
        }
    }

    @Test("A leaf that is named without its body is no fault if another row has it")
    func named() async throws {
        let scratch = try Scratch()
        let text =
            "{\"_id\":\"a\",\"_rev\":\"2-bbb\",\"_conflicts\":[\"2-ccc\",\"2-ddd\"]}\n{\"_id\":\"b\",\"_rev\":\"1-a\"}\n"
            + "{\"_id\":\"a\",\"_rev\":\"2-ccc\"}\n"
        let items = try await SourceReading.itemsReopening(try scratch.write(text.utf8, to: "dump.json"))
        #expect(items.faults.map(\.revision) == ["2-ddd"])
        #expect(items.document("a")?.revisions.count == 2)
    }

    @Test("Rows that were added since the last reading are read, for any document")
    func grown() async throws {
        let scratch = try Scratch()
        let path = try scratch.write((Self.row("a", "1-aaa", 1) + "\n" + Self.row("b", "1-b", 1) + "\n").utf8, to: "dump.json")
        let first = try SourceOpener.open(path: path)
        let batch = try #require(try await first.batch(after: nil, limits: SourceBatchLimits()))
        #expect(batch.items.documents.map(\.id) == ["a", "b"])
        let more = [Self.row("c", "1-c", 1), Self.row("a", "2-bbb 1-aaa", 2), Self.row("c", "1-d", 2)]
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((more.joined(separator: "\n") + "\n").utf8))
        try handle.close()
        let next = try await SourceOpener.open(path: path).batch(after: batch.cursor, limits: SourceBatchLimits())
        #expect(next?.items.documents.map(\.id) == ["c", "a"])
        #expect(next?.items.documents.map(\.revisions.count) == [2, 1])
    }

    @Test("Dry run, run, report and comparison agree", arguments: [1, 2, 500])
    func oneTruth(batch: Int) async throws {
        let scratch = try Scratch()
        let source = try SourceOpener.open(path: try scratch.write(Self.forms[0].text.utf8, to: "dump.json"))
        let target = try Target()
        let database = try await target.database()
        var options = MigrationOptions()
        options.batch.documents = batch
        let migration = SourceMigration(source, to: database, options: options, head: Target.head)
        let dry = await migration.preview { _ in }
        let result = await migration.run { _ in }
        #expect(dry.report.collections == result.report.collections)
        #expect(result.report.isClean)
        #expect(result.report.total.documents == 19 && result.report.total.conflicts == 1 && result.report.total.clashes.documents == 0)
        try await database.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        let forward = try await Verification(source, store).run(after: result.cursor)
        #expect(forward.isEqual && forward.equal == 19, "\(forward.differences.items)")
        let backward = try await Verification(store, source).run()
        #expect(backward.isEqual && backward.equal == 19, "\(backward.differences.items)")
        await store.close()
        try await target.expectSound()
    }

    @Test("A document with very many leaves is one document for the run and the comparison")
    func manyLeaves() async throws {
        let scratch = try Scratch()
        let rows = (0..<1_200).map { Self.row("a", "2-\($0) 1-aaa", $0) }
        let source = try SourceOpener.open(path: try scratch.write(rows.joined(separator: "\n").utf8, to: "dump.json"))
        let items = try await SourceReading.items(source)
        #expect(items.documents.map(\.revisions.count) == [1_200])
        #expect(try await Verification(source, source).run().equal == 1)
    }

    @Test("A truncated gzip dump is read the second time as the first", arguments: [true, false])
    func readAgain(isCut: Bool) async throws {
        let scratch = try Scratch()
        let whole = Gzip.compress((0..<200).map { Self.row("d\($0)", "1-\($0)", $0) + "\n" }.joined().utf8.map { $0 })
        let path = try scratch.write(isCut ? Array(whole.dropLast(whole.count / 3)) : whole, to: "dump.json.gz")
        let source = try SourceOpener.open(path: path)
        let first = try await SourceReading.items(source)
        let again = try await SourceReading.items(source)
        #expect(first.documents.count > 50 && first.documents.map(\.id) == again.documents.map(\.id))
        #expect(first.faults == again.faults && first.faults.isEmpty == !isCut)
    }

    @Test("Revisions that only the dump or only the store has are reported", arguments: ["2-ccc", "2-bbb"])
    func lost(leaf: String) async throws {
        let scratch = try Scratch()
        let whole = try SourceOpener.open(path: try scratch.write(Self.forms[0].text.utf8, to: "whole.json"))
        let rows = Self.rows.filter { !$0.contains("\"_rev\":\"\(leaf)\"") }
        let part = try SourceOpener.open(path: try scratch.write(rows.joined(separator: "\n").utf8, to: "part.json"))
        #expect(try await Verification(whole, part).run().differences.items.map(\.id) == ["a"])
        #expect(try await Verification(part, whole).run().differences.items.map(\.id) == ["a"])
    }

    @Test("Faults keep the bytes of their rows, each with its position, in gzip that of the unpacked text")
    func faults() async throws {
        let scratch = try Scratch()
        let lines = [
            "{\"_id\":\"_bad\",\"a\":1}", "{\"n\":1}", "{\"n\":2}", "{\"_id\":\"x\",\"a\":nul}", "{\"_id\":\"x\",\"a\":nul}", "no JSON",
            "{\"_id\":\"large\",\"a\":\"\(String(repeating: "x", count: 2_000))\"}",
            "{\"_id\":\"huge\",\"a\":\"\(String(repeating: "x", count: 9_000))\"}",
        ]
        let text = Array(lines.joined(separator: "\n").utf8)
        let limits = SourceBatchLimits(documents: 2, bodyBytes: 1_000)
        let plain = try await SourceReading.itemsReopening(try scratch.write(text, to: "dump.jsonl"), limits: limits)
        #expect(plain.faults.count == lines.count)
        #expect(plain.faults.dropLast().map(\.bytes) == lines.dropLast().map { Array($0.utf8) })
        #expect(plain.faults.last?.bytes.count == 3_000 && plain.faults.last?.length == lines[7].utf8.count)
        #expect(Set(plain.faults.map(\.place)).count == lines.count)
        #expect(plain.faults.allSatisfy { !$0.reason.contains($0.place) })
        let zipped = try await SourceReading.itemsReopening(try scratch.write(Gzip.compress(text), to: "dump.gz"), limits: limits)
        #expect(zipped.faults.map(\.place) == plain.faults.map { "\($0.place) of the unpacked text" })
    }
}
