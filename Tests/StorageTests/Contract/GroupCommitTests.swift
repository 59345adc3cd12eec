import Coordination
import Documents
import Foundation
import Testing

@testable import SQLiteStorage
@testable import Storage

/// An error that is not the store's.
private struct Refusal: Error, Equatable {}

@Suite("Group commit")
struct GroupCommitTests {
    @Test("Work of many callers shares commits, and each has its own result", arguments: StorageEngine.all)
    func shares(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let before = store.commitCount
            let results = await together(store, 200) { index, transaction in
                try transaction.add("d\(index)")
                return index
            }
            #expect(try results.map { try $0.get() } == Array(0..<200))
            #expect(store.commitCount - before <= 10)
            #expect(try await store.read { try $0.feedIDs(.unified) }.count == 200)
            try await store.expectSound()
        }
    }

    @Test("Work that fails before it changes anything does not affect others and runs once", arguments: StorageEngine.all)
    func cleanFailure(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let runs = Lock(0)
            let results = await together(store, 20) { index, transaction in
                runs.withLock { $0 += 1 }
                _ = try transaction.nextSequence()
                if index % 5 == 0 { throw Refusal() }
                try transaction.add("d\(index)")
            }
            for (index, result) in results.enumerated() {
                #expect((try? result.get()) != nil || index % 5 == 0)
            }
            #expect(runs.withLock { $0 } == 20)
            // Sequences of failed work were not used up.
            #expect(try await store.read { try $0.lastSequence.value } == SequenceNumber.newOrigin.value + 2 * 16)
            try await store.expectSound()
        }
    }

    @Test("Work that fails after a change leaves nothing behind, and the others' work is committed", arguments: StorageEngine.all)
    func dirtyFailure(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let results = await together(store, 20) { index, transaction in
                try transaction.add("d\(index)")
                if index % 5 == 2 { throw Refusal() }
            }
            for (index, result) in results.enumerated() {
                if index % 5 == 2 {
                    #expect(throws: Refusal()) { try result.get() }
                } else {
                    #expect(throws: Never.self) { try result.get() }
                }
            }
            let ids = Set(try await store.read { try $0.feedIDs(.unified) })
            #expect(ids == Set((0..<20).filter { $0 % 5 != 2 }.map { "d\($0)" }))
            #expect(try await store.read { try $0.counts(.unified).live } == 16)
            try await store.expectSound()
        }
    }

    @Test("A conflict inside a group fails only its own caller", arguments: StorageEngine.all)
    func conflicts(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let results = await together(store, 10) { index, transaction in try transaction.add("d\(index / 2)") }
            let stored = results.filter { (try? $0.get()) != nil }
            #expect(stored.count == 5)
            try await store.expectSound()
        }
    }

    @Test("Work that is cancelled before its turn does not run, and its caller gets the error at once", arguments: StorageEngine.all)
    func cancellation(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            let gate = WriterGate()
            let (started, starting) = AsyncStream.makeStream(of: Void.self)
            async let holder: Void = store.write { _ in
                starting.yield()
                gate.pass()
            }
            for await _ in started { break }
            let waiting = Task { try await store.write { _ = try $0.add("never") } }
            await store.waitForQueuedWrites(1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            gate.open()
            try await holder
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.write { _ = try $0.add("never") }
            }
            await #expect(throws: CancellationError.self) { try await late.value }
            #expect(try await store.read { try $0.feedIDs(.unified) }.isEmpty)
        }
    }

    @Test("A close waits for queued work", arguments: StorageEngine.all)
    func closing(_ engine: StorageEngine) async throws {
        let place = try TemporaryStore(engine)
        let store = try place.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    do {
                        _ = try await store.write { try $0.add("d\(index)") }
                    } catch let error as StorageError where error.code == .closed {}
                }
            }
            _ = try await group.next()
            try await store.close()
            try await group.waitForAll()
        }
        let again = try place.open()
        try await again.expectSound()
        #expect(try await !again.read { try $0.feedIDs(.unified) }.isEmpty)
        try await again.close()
    }
}
