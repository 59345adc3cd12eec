import Documents
import Foundation
import SQLiteStorage
import Storage
import Testing

@Suite("Copies of a store")
struct BackupTests {
    @Test("A copy that is made during writes is consistent and can be restored")
    func whileServing() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try await store.write { for index in 0..<500 { try $0.add("a\(index)") } }
        let writing = Task {
            var index = 0
            while !Task.isCancelled {
                try await store.write { [index] in
                    try $0.add("b\(index)")
                    try $0.edit("a\(index % 500)", ["2-\(index % 10)\(index % 10)", "1-aa"])
                }
                index += 1
            }
        }
        let file = folder.path + "/copy.sqlite"
        try await store.backup(to: file)
        writing.cancel()
        _ = try? await writing.value
        await expectError(.conflict) { try await store.backup(to: file) }
        let uuid = try await store.read { try $0.uuid }
        try await store.close()

        let restored = folder.path + "/restored.dualgauge"
        try SQLiteStore.restore(from: file, to: restored)
        let copy = try SQLiteStore(path: restored)
        #expect(try await copy.check().isSound)
        #expect(try await copy.read { try $0.uuid } == uuid)
        #expect(try await copy.read { try $0.feedIDs(.unified, limit: 10_000) }.count >= 500)
        try await copy.close()
        #expect(throws: StorageError(.conflict, "")) { try SQLiteStore.restore(from: file, to: restored) }
    }

    @Test("A file that is no backup is refused")
    func badBackups() throws {
        let folder = try TemporaryFolder()
        #expect(throws: StorageError(.notFound, "")) { try SQLiteStore.restore(from: folder.path + "/none", to: folder.store) }
        for data in [Data(), Data(repeating: 7, count: 5000)] {
            try data.write(to: URL(fileURLWithPath: folder.path + "/bad"))
            #expect(throws: StorageError(.notAStore, "")) { try SQLiteStore.restore(from: folder.path + "/bad", to: folder.store) }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.store + "/store.sqlite"))
    }

    @Test("A copy that cannot be written leaves nothing behind")
    func unwritable() async throws {
        try await withStore { store in
            await expectError(.inputOutput) { try await store.backup(to: "/nowhere/at/all/copy") }
        }
    }
}
