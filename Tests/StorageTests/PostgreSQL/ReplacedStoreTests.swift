import TestSupport
import Testing

@testable import PostgreSQLStorage
@testable import Storage

/// A bridge empties a database by a new store in its place, while other bridges have the old one open.
@Suite("A store that another process replaces")
struct ReplacedStoreTests {
    @Test("Reads and writes of the old store fail, also in a new store with the same rows; a new opening succeeds")
    func replaced() async throws {
        let schema = try TemporarySchema()
        let old = try schema.open()
        try await old.write { _ = try $0.add("a") }
        try PostgreSQLStore.remove(url: schema.url, schema: schema.name)
        await expect(.inputOutput, of: old)
        let new = try schema.open()
        try await new.write { _ = try $0.add("a") }
        await expect(.replaced, of: old)
        // No transaction of the old store has changed the new one.
        #expect(try await new.read { try $0.counts(.unified) }.live == 1)
        try await new.expectSound()
        try await old.close()
        try await new.close()
    }

    private func expect(_ code: StorageError.Code, of store: PostgreSQLStore) async {
        await #expect(throws: StorageError(code, "")) { try await store.read { _ = try $0.lastSequence } }
        await #expect(throws: StorageError(code, "")) { try await store.write { try $0.set("1", forSetting: "test") } }
        await #expect(throws: StorageError(code, "")) { try await store.write { _ = try $0.add("b") } }
    }

    @Test("Both errors are the store's, and may pass: clients get 503 and try again")
    func codes() {
        #expect(StorageError(.replaced, "").isOfStore && StorageError(.replaced, "").mayPass)
        #expect(StorageError(.inputOutput, "").isOfStore && StorageError(.inputOutput, "").mayPass)
    }
}
