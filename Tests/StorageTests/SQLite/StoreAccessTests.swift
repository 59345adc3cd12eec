import Foundation
import GRDB
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Stores on full and read-only disks, and stores that are only read")
struct StoreAccessTests {
    /// A store with documents in its database and, if its writer was killed, more in its log.
    private func written(leavingLog: Bool) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        for index in 0..<50 { try await store.write { _ = try $0.add("document-\(index)") } }
        guard leavingLog else {
            try await store.close()
            return folder
        }
        let killed = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: killed.store, withIntermediateDirectories: true)
        for name in ["store.sqlite", "store.sqlite-wal", "store.lock"] {
            try FileManager.default.copyItem(atPath: "\(folder.store)/\(name)", toPath: "\(killed.store)/\(name)")
        }
        try await store.close()
        return killed
    }

    private func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.store)
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: "\(folder.store)/\($1)") }
    }

    @Test(
        "On a read-only disk everything is readable, also from the log, no file is created, and writes fail", arguments: [false, true])
    func still(leavingLog: Bool) async throws {
        let folder = try await written(leavingLog: leavingLog)
        let before = try contents(folder)
        #expect(leavingLog == (before["store.sqlite-wal"] != nil))
        let store = try SQLiteStore(path: folder.store, options: .init(), accesses: [.unlocked])
        #expect(try await store.read { try $0.feedIDs(.unified, limit: 100) }.count == 50)
        #expect(try await store.check().isSound)
        await expectError(.readOnly) { try await store.write { _ = try $0.add("more") } }
        try await store.backup(to: "\(folder.path)/copy")
        #expect(store.restriction?.contains("read-only") == true)
        try await store.close()
        #expect(try contents(folder) == before)
        try SQLiteStore.restore(from: "\(folder.path)/copy", to: "\(folder.path)/restored.dualgauge")
    }

    @Test("A disk that is read-only here may be written by others: locks are tried before a store is read without them")
    func readOnlyHere() async throws {
        for isOnReadOnlyDisk in [false, true] {
            #expect(StoreAccess.candidates(isReadOnly: true, isOnReadOnlyDisk: isOnReadOnlyDisk) == [.reading, .unlocked])
        }
        #expect(StoreAccess.candidates(isReadOnly: false, isOnReadOnlyDisk: true) == [.unlocked])
        let folder = try await written(leavingLog: true)
        try Data(count: 32_768).write(to: URL(fileURLWithPath: "\(folder.store)/store.sqlite-shm"))
        let unclaimed = DatabaseError(resultCode: .SQLITE_READONLY_CANTINIT)
        #expect(StoreAccess.reading.allowsNextMode(after: unclaimed, in: folder.store, isOnReadOnlyDisk: true))
        #expect(!StoreAccess.reading.allowsNextMode(after: unclaimed, in: folder.store, isOnReadOnlyDisk: false))
        let damaged = DatabaseError(resultCode: .SQLITE_CORRUPT)
        #expect(!StoreAccess.reading.allowsNextMode(after: damaged, in: folder.store, isOnReadOnlyDisk: true))
    }

    @Test("On a full disk a process has the store for itself, reads, and writes when there is room", arguments: [false, true])
    func alone(leavingLog: Bool) async throws {
        let folder = try await written(leavingLog: leavingLog)
        let store = try SQLiteStore(path: folder.store, options: .init(), accesses: [.exclusive])
        #expect(try await store.read { try $0.feedIDs(.unified, limit: 100) }.count == 50)
        try await store.write { _ = try $0.add("more") }
        #expect(try await store.read { try $0.feedIDs(.unified, limit: 100) }.count == 51)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.store)/store.sqlite-shm"))
        #expect(store.restriction?.contains("full") == true)
        try await store.close()
        let again = try folder.open()
        #expect(again.restriction == nil)
        #expect(try await again.read { try $0.feedIDs(.unified, limit: 100) }.count == 51)
        try await again.close()
    }

    @Test("A store that is opened for reading is unchanged, beside a writer")
    func reading() async throws {
        let folder = try await written(leavingLog: false)
        let writer = try folder.open()
        let reader = try folder.open { $0.isReadOnly = true }
        try await writer.write { _ = try $0.add("more") }
        #expect(try await reader.read { try $0.feedIDs(.unified, limit: 100) }.count == 51)
        await expectError(.readOnly) { try await reader.write { _ = try $0.add("more") } }
        try await reader.close()
        try await writer.close()
        #expect(throws: StorageError(.notFound, "")) {
            var options = SQLiteStore.Options()
            options.isReadOnly = true
            _ = try SQLiteStore(path: "\(folder.path)/none.dualgauge", options: options)
        }
    }

    @Test("An empty or missing database is lost where there was a store, and new where its creation was interrupted")
    func lost() async throws {
        let folder = try await written(leavingLog: false)
        let file = SQLiteStore.file(in: folder.store)
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(throws: StorageError(.corrupt, "")) { try folder.open() }
        #expect(throws: StorageError(.corrupt, "")) { try folder.open { $0.isReadOnly = true } }
        try FileManager.default.removeItem(atPath: file)
        #expect(throws: StorageError(.corrupt, "")) { try folder.open() }
        #expect(!FileManager.default.fileExists(atPath: file))

        // Copied without its lock.
        try Data().write(to: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: "\(folder.store)/store.lock")
        #expect(throws: StorageError(.corrupt, "")) { try folder.open() }

        let unfinished = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: unfinished.store, withIntermediateDirectories: true)
        for name in ["store.lock", "store.sqlite"] { try Data().write(to: URL(fileURLWithPath: "\(unfinished.store)/\(name)")) }
        #expect(throws: StorageError(.corrupt, "")) { try unfinished.open { $0.isReadOnly = true } }
        try await unfinished.open().close()
    }
}
