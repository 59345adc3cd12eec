import Documents
import Storage
import Testing

/// An error that is not the store's.
private struct Refusal: Error, Equatable {}

@Suite("Attempts in a transaction")
struct AttemptTests {
    @Test("A failed attempt is undone, whatever it has changed, and the transaction goes on", arguments: StorageEngine.all)
    func undone(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.add("a")
                #expect(throws: Refusal()) {
                    try transaction.attempt {
                        try transaction.add("b")
                        throw Refusal()
                    }
                }
                #expect(throws: Refusal()) {
                    try transaction.attempt {
                        _ = try transaction.nextSequence()
                        throw Refusal()
                    }
                }
                try transaction.attempt { _ = try transaction.add("c") }
            }
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "c"])
            #expect(try await store.read { try $0.lastSequence.value } == SequenceNumber.newOrigin.value + 2)
            try await store.expectSound()
        }
    }

    @Test("A conflict fails the attempt that causes it", arguments: StorageEngine.all)
    func conflict(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { _ = try $0.add("taken") }
            let stored = try await store.write { transaction in
                try ["x", "taken", "y", "taken", "z"].filter { id in
                    do {
                        try transaction.attempt { _ = try transaction.add(id) }
                        return true
                    } catch let error as StorageError where error.code == .conflict {
                        return false
                    }
                }
            }
            #expect(stored == ["x", "y", "z"])
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["taken", "x", "y", "z"])
            try await store.expectSound()
        }
    }

    @Test("An attempt within an attempt is undone with it, or alone", arguments: StorageEngine.all)
    func nested(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.attempt {
                    try transaction.add("a")
                    try? transaction.attempt {
                        try transaction.add("b")
                        throw Refusal()
                    }
                    try transaction.attempt { _ = try transaction.add("c") }
                }
                try? transaction.attempt {
                    try transaction.attempt { _ = try transaction.add("d") }
                    throw Refusal()
                }
                #expect(try transaction.document(unifiedID: "d") == nil)
            }
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "c"])
            try await store.expectSound()
        }
    }
}
