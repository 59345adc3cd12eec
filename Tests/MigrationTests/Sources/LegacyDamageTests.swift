import Documents
import Foundation
import GRDB
import LegacyFiles
import Migration
import TestSupport
import Testing

@Suite("Damaged databases of Couchbase Lite 1.x")
struct LegacyDamageTests {
    private static let pageSize = 1024

    private func database(_ scratch: Scratch, documents: Int, padding: Int = 100) throws -> String {
        let folder = "\(scratch.path)/db.cblite2"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let builder = try LegacyDatabaseFile("\(folder)/db.sqlite3")
        try builder.fill(1...documents, padding: padding)
        try builder.queue.close()
        return folder
    }

    @Test("With any page damaged, documents on other pages are read, and the rest is reported", arguments: 0..<12 as Range<UInt64>)
    func pages(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let path = try database(scratch, documents: 120)
        let file = "\(path)/db.sqlite3"
        var bytes = Array(try #require(FileManager.default.contents(atPath: file)))
        let count = bytes.count / Self.pageSize
        let page = Int.random(in: 1..<count, using: &generator)
        for place in page * Self.pageSize..<(page + 1) * Self.pageSize { bytes[place] = 0xa5 }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let before = try Scratch.digests(path)
        let items: [SourceItem]
        do {
            items = try await SourceReading.itemsReopening(path, limits: SourceBatchLimits(documents: 25))
        } catch let error as SourceError {
            // A page of the schema.
            #expect(error.code == .damaged, "seed \(seed), page \(page)")
            return
        }
        #expect(try Scratch.digests(path) == before)
        #expect(Set(items.documents.map(\.id)).count == items.documents.count, "seed \(seed), page \(page)")
        let whole = items.documents.filter { document in !items.faults.contains { $0.id == document.id } }
        for document in whole { #expect(document.revisions.first?.history.map(\.text) == ["2-bb", "1-aa"]) }
        #expect(whole.count >= 100, "seed \(seed), page \(page): \(whole.count) documents, faults \(items.faults.map(\.id))")
        #expect(whole.count == 120 || !items.faults.isEmpty, "seed \(seed), page \(page)")
    }

    @Test("A truncated file has the documents of its first part")
    func truncated() async throws {
        let scratch = try Scratch()
        let path = try database(scratch, documents: 400)
        let file = "\(path)/db.sqlite3"
        let bytes = try #require(FileManager.default.contents(atPath: file))
        try bytes.prefix(bytes.count * 3 / 4).write(to: URL(fileURLWithPath: file))
        let items = try await SourceReading.itemsReopening(path, limits: SourceBatchLimits(documents: 50))
        #expect(!items.faults.isEmpty)
        #expect(items.documents.count > 100, "\(items.faults.map(\.id))")
    }

    @Test("A file that is truncated in its first page is refused")
    func beheaded() throws {
        let scratch = try Scratch()
        for length in [0, 10, 50, 600] {
            let other = try Scratch()
            let path = try database(other, documents: 1)
            let folder = "\(scratch.path)/\(length).cblite2"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(path)/db.sqlite3", toPath: "\(folder)/db.sqlite3")
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/db.sqlite3"))
            try bytes.prefix(length).write(to: URL(fileURLWithPath: "\(folder)/db.sqlite3"))
            #expect(throws: SourceError.self) { try SourceOpener.open(path: folder) }
        }
    }

    @Test("A cyclic revision tree, malformed revision IDs and missing bodies fail only their document")
    func trees() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/old.cblite"
        let builder = try LegacyDatabaseFile(file)
        try builder.fill(1...3)
        try builder.add("circle", revision: "1-aa", json: "{}")
        try builder.add("bad rev", revision: "x", json: "{\"a\":1}")
        try builder.add("no body", json: nil)
        try builder.add("tombstone", revision: "3-cc", json: nil, isDeleted: true)
        try builder.add("removed", json: "{\"_removed\":true}")
        try await builder.queue.write { database in
            try database.execute(sql: "UPDATE revs SET parent = sequence WHERE doc_id = (SELECT doc_id FROM docs WHERE docid = 'circle')")
            try database.execute(sql: "INSERT INTO docs (docid) VALUES ('never had a revision')")
        }
        try builder.queue.close()
        let items = try await SourceReading.itemsReopening(file)
        #expect(items.documents.map(\.id) == ["d1", "d2", "d3", "tombstone"])
        #expect(items.document("tombstone")?.revisions.map(\.isDeleted) == [true])
        #expect(items.document("tombstone")?.revisions.map(\.body) == [Array("{}".utf8)])
        #expect(items.faults.map(\.id) == ["circle", "bad rev", "no body", "removed"])
        #expect(items.faults.map(\.revision) == ["1-aa", "x", "1-aa", "1-aa"])
        #expect(items.faults[1].bytes == Array("{\"a\":1}".utf8))
    }

    @Test("Impossible documents fail alone, and are kept as they are")
    func documents() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/old.cblite"
        let builder = try LegacyDatabaseFile(file)
        try builder.add("good", json: "{\"n\":1.50}")
        try builder.add(Data([0x61, 0xff]), json: Data("{}".utf8))
        try builder.add("_reserved", json: "{}")
        try builder.add(String(repeating: "x", count: 300), json: "{}")
        try builder.add("not json", json: "{\"a\":")
        try builder.add("not utf-8", json: nil)
        try await builder.queue.write { database in
            try database.execute(
                sql: "UPDATE revs SET json = ? WHERE json IS NULL",
                arguments: [Data([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])])
        }
        try builder.add("large", json: "{\"a\":\"\(String(repeating: "y", count: 5000))\"}")
        try builder.add("good too", json: "{}")
        try builder.queue.close()
        let items = try await SourceReading.itemsReopening(file, limits: SourceBatchLimits(documents: 3, bodyBytes: 4000))
        #expect(items.documents.map(\.id) == ["good", "good too"])
        #expect(items.document("good")?.revisions.first?.body == Array("{\"n\":1.50}".utf8))
        #expect(items.faults.count == 6)
        #expect(items.faults.map(\.id).suffix(3) == ["not json", "not utf-8", "large"])
        #expect(items.faults[3].bytes == Array("{\"a\":".utf8))
        #expect(items.faults[5].reason.contains("5008 bytes"))
    }
}
