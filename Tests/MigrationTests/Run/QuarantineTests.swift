import Coordination
import Documents
import Gateway
import Migration
import Storage
import Testing

@Suite("The quarantine")
struct QuarantineTests {
    private func run(_ source: any MigrationSource, _ database: Database) async -> MigrationResult {
        var options = MigrationOptions()
        options.missingAttachments = .quarantine
        return await SourceMigration(source, to: database, options: options, head: Target.head).run { _ in }
    }

    private let conflicted = document(
        "lacks", revision("1-aa", #"{"n":0}"#, isLeaf: false), revision("2-bb 1-aa", #"{"n":1}"#, attachments: attachment([9])),
        revision("!2-bc 1-aa"))

    @Test("A document without an attachment is written when the bytes are here, with all its revisions")
    func retry() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource([conflicted, .fault(SourceFault(id: "line 2", reason: "no JSON", bytes: [0xff]))])
        #expect(await run(source, database).report.failures.count == 2)
        let quarantine = Quarantine(database)
        let early = try await quarantine.retry(from: nil)
        #expect(early.written == 0)
        #expect(early.remaining.map(\.id) == ["lacks", "line 2"])
        #expect(early.remaining[0].reason.contains("--from"))
        source.state.withLock { $0.attachments[.sha1(of: [9])] = [9] }
        let retried = try await quarantine.retry(from: source)
        #expect(retried.written == 1)
        #expect(retried.remaining.map(\.id) == ["line 2"])
        #expect(try await quarantine.count() == 1)
        try await database.close()
        #expect(
            try await target.contents() == [
                "_default._default lacks: -1-aa {\"n\":0}; 2-bb 1-aa {\"n\":1} a=\(AttachmentDigest.sha1(of: [9])); !2-bc 1-aa {}"
            ])
        try await target.expectSound()
    }

    @Test("A later run that writes the document removes it from quarantine")
    func released() async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(ListSource([conflicted]), database)
        #expect(try await Quarantine(database).count() == 1)
        let result = await run(ListSource([conflicted], label: "another", attachments: [[9]]), database)
        #expect(result.report.isClean)
        #expect(try await Quarantine(database).count() == 0)
        try await database.close()
    }

    @Test("An export has one line of JSON per document, whatever its bytes")
    func export() async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(
            ListSource([conflicted, .fault(SourceFault(id: "line 2", revision: "1-x", reason: "no JSON", bytes: [0xff]))]), database)
        var lines: [JSONValue] = []
        try await Quarantine(database).each { document, origin in
            let line = QuarantineExport.line(document, origin)
            #expect(line.count { $0 == 0x0a } == 1)
            lines.append(try JSONValue(line))
        }
        #expect(lines.map { $0["id"]?.string } == ["lacks", "line 2"])
        #expect(lines[0]["document"]?.array?.count == 3)
        #expect(lines[0]["document"]?.array?[1]["_rev"]?.string == "2-bb")
        #expect(lines[1]["bytes"]?.string == "/w==")
        #expect(lines[1]["revision"]?.string == "1-x")
        #expect(lines[0]["source"]?.string == "list")
        try await database.close()
    }

    private func dump(_ lines: [String], _ scratch: Scratch, _ name: String) throws -> any MigrationSource {
        try SourceOpener.open(path: try scratch.write((lines.joined(separator: "\n") + "\n").utf8, to: name))
    }

    @Test("Rows of a dump are stored one by one with their bytes, and are retried from these, or by ID from a repaired dump")
    func dumps() async throws {
        let (target, scratch) = (try Target(), try Scratch())
        let database = try await target.database { $0.limits.documentSize = 100 }
        let large = #"{"_id":"large","a":"\#(String(repeating: "x", count: 200))"}"#
        let lines = [
            #"{"_id":"_bad","n":1}"#, #"{"n":1}"#, #"{"n":2}"#, #"{"_id":"x","n":nul}"#, #"{"_id":"x","n":nil}"#, large,
            #"{"_id":"c","_rev":"2-bb","_conflicts":["2-aa"]}"#,
        ]
        let result = await run(try dump(lines, scratch, "first.jsonl"), database)
        #expect(result.report.failures.count == 7 && result.report.total.quarantined.documents == 7)
        let quarantine = Quarantine(database)
        var kept: [QuarantinedDocument] = []
        try await quarantine.each { document, _ in kept.append(document) }
        #expect(kept.count == 7)
        #expect(Set(kept.filter { $0.id != "large" && $0.id != "c" }.map(\.bytes)) == Set(lines.prefix(5).map { Array($0.utf8) }))
        try await database.close()
        // With another limit the stored bytes are enough.
        let roomy = try await target.database()
        let retried = try await Quarantine(roomy).retry(from: nil)
        #expect(retried.written == 1)
        #expect(retried.remaining.count == 6 && !retried.remaining.contains { $0.id == "large" })
        let mended = try dump([#"{"_id":"x","n":1}"#, #"{"_id":"c","_rev":"2-bb"}"#], scratch, "mended.jsonl")
        let found = try await Quarantine(roomy).retry(from: mended)
        #expect(found.written == 2)
        #expect(!found.remaining.contains { $0.id == "x" })
        // The revision that neither dump has is still missing.
        #expect(found.remaining.first { $0.id == "c" }?.revision == "2-aa")
        #expect(found.remaining.count == 4)
        try await roomy.close()
        try await target.expectSound()
    }
}
