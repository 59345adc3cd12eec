import Compression
import Documents
import Foundation
import GRDB
import Gateway
import LegacyFiles
import Migration
import TestSupport
import Testing

@Suite("Layouts of Couchbase Lite 1.x databases")
struct LegacyLayoutTests {
    @Test(
        "1.0 has one file, a folder of attachments beside it, and a table that names them",
        arguments: ["old attachments", "old/attachments"])
    func old(folder: String) async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/old.cblite"
        let builder = try LegacyDatabaseFile(file, schema: LegacyDatabaseFile.oldSchema)
        try builder.add("doc", json: "{\"a\":1}")
        try builder.fill(1...2)
        let contents = Array("stored bytes".utf8)
        let digest = AttachmentDigest.sha1(of: contents)
        try await builder.queue.write { database in
            try database.execute(
                sql: "INSERT INTO attachments VALUES (1, 'a.txt', ?, 'text/plain', 99, 1, 1, 12)", arguments: [Data(digest.bytes)])
        }
        try builder.queue.close()
        try FileManager.default.createDirectory(atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: true)
        let name = digest.bytes.map { String(format: "%02x", $0) }.joined()
        _ = try scratch.write(contents, to: "\(folder)/\(name).blob")

        let before = try Scratch.digests(scratch.path)
        let source = try SourceOpener.open(path: file)
        let items = try await SourceReading.items(source)
        #expect(items.documents.map(\.id) == ["doc", "d1", "d2"])
        let revision = try #require(items.document("doc")?.revisions.first)
        let entry = AttachmentMetadata(
            name: "a.txt", digest: digest, length: 99, revpos: 1, contentType: "text/plain", encoding: "gzip", encodedLength: 12)
        #expect(revision.attachments == AttachmentSet([entry]))
        let attachment = SourceAttachment(
            collection: .default, document: "doc", revision: revision.history[0], name: "a.txt", digest: digest)
        #expect(try await SourceReading.bytes(of: attachment, in: source) == contents)
        await source.close()
        #expect(try Scratch.digests(scratch.path) == before)
    }

    @Test("A write-ahead log is read, and nothing is written beside it")
    func log() async throws {
        let scratch = try Scratch()
        let folder = "\(scratch.path)/a b?#%.cblite2"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let live = "\(scratch.path)/live.sqlite3"
        let builder = try LegacyDatabaseFile(live)
        try builder.fill(1...3)
        try await builder.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") }
        try builder.fill(4...6)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: live + suffix, toPath: "\(folder)/db.sqlite3\(suffix)")
        }
        let before = try Scratch.digests(folder)
        let items = try await SourceReading.itemsReopening(folder)
        #expect(items.documents.map(\.id) == ["d1", "d2", "d3", "d4", "d5", "d6"])
        #expect(items.faults == [])
        #expect(try Scratch.digests(folder) == before)
        try builder.queue.close()
    }

    @Test("A database in log mode without a log is read")
    func emptyLog() async throws {
        let scratch = try Scratch()
        let folder = "\(scratch.path)/a.cblite2"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let builder = try LegacyDatabaseFile("\(folder)/db.sqlite3")
        try await builder.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try builder.fill(1...3)
        try builder.queue.close()
        let before = try Scratch.digests(folder)
        #expect(try await SourceReading.itemsReopening(folder).documents.count == 3)
        #expect(try Scratch.digests(folder) == before)
    }

    @Test("Local documents are not read as documents, and an expiry is read")
    func expiry() async throws {
        let scratch = try Scratch()
        let file = "\(scratch.path)/a.cblite"
        let builder = try LegacyDatabaseFile(file)
        try builder.fill(1...1)
        try await builder.queue.write { database in
            try database.execute(sql: "INSERT INTO localdocs VALUES ('_local/x', '1-local', '{}')")
            try database.execute(sql: "UPDATE docs SET expiry_timestamp = 1900000000")
            try database.execute(sql: "INSERT INTO info VALUES ('privateUUID', 'ABC')")
        }
        try builder.queue.close()
        let source = try SourceOpener.open(path: file)
        let items = try await SourceReading.items(source)
        #expect(items.documents.map(\.expiry) == [1_900_000_000])
        #expect(items.documents.map(\.sequence) == ["2"])
        #expect(try await source.summary() == SourceSummary(kind: "Couchbase Lite 1.x database (SQLite)", identity: "ABC", documents: 1))
        await #expect(throws: SourceError.self) { try await source.batch(after: SourceCursor(rawValue: "x"), limits: SourceBatchLimits()) }
        await source.close()
    }
}
