import Documents
import Foundation
import GRDB
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Opening a store")
struct OpeningTests {
    @Test("The log is flushed to the disk at every commit")
    func synchronous() async throws {
        let folder = try TemporaryFolder()
        var options = SQLiteStore.Options()
        options.readerCount = 1
        try SQLiteStore.prepareFolder(folder.store, options)
        let writer = try SQLiteStore.openWriter(folder.store, options, .shared, isAlone: true)
        try await writer.writeWithoutTransaction { database in
            let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
            #expect(synchronous == 2)
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
            #expect(mode == "wal")
        }
        try writer.close()
    }

    @Test("A file that is no database is refused")
    func noDatabase() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: folder.store + "/store.sqlite"))
        let error = #expect(throws: StorageError(.notAStore, "")) { try folder.open() }
        #expect(error?.message.contains(folder.store) == true)
    }

    @Test("A file where a folder should be is refused")
    func fileForFolder() async throws {
        let folder = try TemporaryFolder()
        try Data([1]).write(to: URL(fileURLWithPath: folder.store))
        #expect(throws: StorageError(.notAStore, "")) { try folder.open() }
    }

    @Test("A missing store is not created where it has to exist")
    func notFound() async throws {
        let folder = try TemporaryFolder()
        #expect(throws: StorageError(.notFound, "")) { try folder.open { $0.createsIfMissing = false } }
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }

    @Test("A damaged file is reported when it is read, and by the check")
    func corrupt() async throws {
        let folder = try TemporaryFolder()
        try await folder.open().close()
        let file = try #require(FileHandle(forUpdatingAtPath: folder.store + "/store.sqlite"))
        let emptySize = try file.seekToEnd()
        let store = try folder.open()
        for batch in 0..<20 {
            try await store.write { transaction in
                for index in 0..<100 { try transaction.add("document-\(batch)-\(index)") }
            }
        }
        try await store.close()
        let size = try file.seekToEnd()
        // The pages of an empty store contain the schema: these stay, so that it opens.
        for page in stride(from: emptySize / 4096, to: size / 4096, by: 2) {
            try file.seek(toOffset: page * 4096)
            try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        }
        try file.close()
        let damaged = try folder.open()
        await expectError(.corrupt) { _ = try await damaged.read { try $0.feedIDs(.unified, limit: 10_000) } }
        let report = try await damaged.check()
        #expect(report.counts[.file] != nil)
        try await damaged.close()
    }

    @Test("A store that another writer has locked is reported as busy")
    func busy() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.busyTimeout = 0.05 }
        let held = try DatabaseQueue(path: SQLiteStore.file(in: folder.store), configuration: unsafe)
        try await held.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await expectError(.busy) { try await store.write { _ = try $0.add("a") } }
        // Reads continue.
        #expect(try await store.read { try $0.feedIDs(.unified) }.isEmpty)
        try await held.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await store.write { _ = try $0.add("a") }
        try await store.close()
    }

    @Test("Unfinished attachments are removed when the store is opened, unless another process may be writing them")
    func unfinishedAttachments() async throws {
        let folder = try TemporaryFolder()
        let first = try folder.open()
        let key = try await first.write { transaction in
            let key = try transaction.beginAttachment()
            try transaction.appendAttachment(key, part: 0, [1, 2, 3])
            return key
        }
        let second = try folder.open()
        try await first.write { try $0.appendAttachment(key, part: 1, [4]) }
        try await first.close()
        try await second.close()
        let third = try folder.open()
        await expectError(.conflict) { try await third.write { try $0.appendAttachment(key, part: 2, [5]) } }
        try await third.close()
        let parts = try folder.change { try Int.fetchOne($0, sql: "SELECT count(*) FROM attachment_parts") }
        #expect(parts == 0)
    }

    private var unsafe: Configuration {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return configuration
    }
}
