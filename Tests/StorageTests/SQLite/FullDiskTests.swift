import Documents
import SQLiteStorage
import Storage
import Testing

@Suite("Groups on a full disk")
struct FullDiskTests {
    @Test("A full disk fails all work of the group and leaves the store sound")
    func fullDisk() async throws {
        try await withStore({ $0.maximumPages = 160 }) { store async throws in
            let results = await together(store, 8) { index, transaction in
                for part in 0..<100 { try transaction.add("document-\(index)-\(part)-" + String(repeating: "x", count: 200)) }
            }
            let stored = results.count { code(of: $0) == nil }
            #expect(stored < 8)
            #expect(results.count { code(of: $0) == .full } == 8 - stored)
            let count = try await store.read { try $0.feedIDs(.unified).count }
            #expect(count == stored * 100)
            let last = try await store.read { try $0.lastSequence.value }
            #expect(last == SequenceNumber.newOrigin.value + Int64(count))
            // A small write still fits.
            try await store.write { try $0.set("on", forSetting: "stage") }
            #expect(try await store.check().isSound)
        }
    }

    private func code(of result: Result<Void, any Error>) -> StorageError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (error as? StorageError)?.code
    }
}
