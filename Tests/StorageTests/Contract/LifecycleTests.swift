import Documents
import Storage
import Testing

@Suite("Opening and closing a store")
struct LifecycleTests {
    @Test("A new store has a counter, a UUID and the default collection, and keeps them", arguments: StorageEngine.all)
    func createsAndReopens(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        var store = try place.open()
        let uuid = try await store.read { try $0.uuid }
        #expect(uuid.count == 16)
        #expect(try await store.read { try $0.lastSequence } == .newOrigin)
        #expect(try await store.read { try $0.origin } == .newOrigin)
        let collections = try await store.read { try $0.collections() }
        #expect(collections == [CollectionRecord(key: .default, scope: "_default", name: "_default", isHidden: false)])
        try await store.write { transaction in
            try transaction.add("a")
            try transaction.set("on", forSetting: "stage")
        }
        try await store.close()
        store = try place.open()
        #expect(try await store.read { try $0.uuid } == uuid)
        #expect(try await store.read { try $0.lastSequence } == SequenceNumber(SequenceNumber.newOrigin.value + 1))
        #expect(try await store.read { try $0.setting("stage") } == "on")
        #expect(try await store.read { try $0.document(unifiedID: "a") } != nil)
        try await store.close()
    }

    @Test("Two openings of one store write alternately, and the counter never repeats", arguments: StorageEngine.all)
    func concurrentOpens(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let first = try place.open()
        let second = try place.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                let store = index % 2 == 0 ? first : second
                group.addTask { _ = try await store.write { try $0.add("document-\(index)") } }
            }
            try await group.waitForAll()
        }
        #expect(try await first.read { try $0.feedIDs(.unified) }.count == 100)
        #expect(try await second.read { try $0.lastSequence } == SequenceNumber(SequenceNumber.newOrigin.value + 100))
        try await first.expectSound()
        try await first.close()
        try await second.close()
    }

    @Test("A closed store refuses work", arguments: StorageEngine.all)
    func closed(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let store = try place.open()
        try await store.close()
        await expectError(.closed) { try await store.write { _ = try $0.nextSequence() } }
        await expectError(.closed) { _ = try await store.read { try $0.uuid } }
        try await store.close()
    }

    @Test("A missing store is not created where it has to exist", arguments: StorageEngine.all)
    func notFound(_ engine: StorageEngine) throws {
        let place = try TemporaryStore(engine)
        #expect(throws: StorageError(.notFound, "")) { try place.open { $0.createsIfMissing = false } }
    }
}
