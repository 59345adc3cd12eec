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
    /// Blocks the writer until it is opened, so that work gathers behind it. It stays open afterwards: its work is repeated when other work
    /// of its group fails.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func open() { semaphore.signal() }

        func pass() {
            semaphore.wait()
            semaphore.signal()
        }
    }

    /// Starts work for each index while the writer is blocked, opens it, and returns the results in order.
    private func together<Value: Sendable>(
        _ store: SQLiteStore, _ count: Int, _ work: @escaping @Sendable (Int, any StoreTransaction) throws -> Value
    ) async -> [Result<Value, any Error>] {
        let gate = Gate()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await store.write { _ in
                starting.yield()
                gate.pass()
            }
        }
        for await _ in started { break }
        let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for index in 0..<count {
                group.addTask {
                    do {
                        return (index, .success(try await store.write { try work(index, $0) }))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            group.addTask {
                await store.waitForQueuedWrites(count)
                gate.open()
                return (-1, .failure(Refusal()))
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        _ = try? await holder.value
        return results.filter { $0.0 >= 0 }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test("Work of many callers shares commits, and each has its own result")
    func shares() async throws {
        try await withStore { store async throws in
            let before = store.commitCount
            let results = await together(store, 200) { index, transaction in
                try transaction.add("d\(index)")
                return index
            }
            #expect(try results.map { try $0.get() } == Array(0..<200))
            #expect(store.commitCount - before <= 10)
            #expect(try await store.read { try $0.feedIDs(.unified) }.count == 200)
            #expect(try await store.check().isSound)
        }
    }

    @Test("Work that fails before it changes anything does not affect others and runs once")
    func cleanFailure() async throws {
        try await withStore { store async throws in
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
            #expect(try await store.check().isSound)
        }
    }

    @Test("Work that fails after a change leaves nothing behind, and the others' work is committed")
    func dirtyFailure() async throws {
        try await withStore { store async throws in
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
            #expect(try await store.check().isSound)
        }
    }

    @Test("A conflict inside a group fails only its own caller")
    func conflicts() async throws {
        try await withStore { store async throws in
            let results = await together(store, 10) { index, transaction in try transaction.add("d\(index / 2)") }
            let stored = results.filter { (try? $0.get()) != nil }
            #expect(stored.count == 5)
            #expect(try await store.check().isSound)
        }
    }

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

    @Test("Work that is cancelled before its turn does not run, and its caller gets the error at once")
    func cancellation() async throws {
        try await withStore { store async throws in
            let gate = Gate()
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

    @Test("A close waits for queued work")
    func closing() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
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
        let again = try folder.open()
        #expect(try await again.check().isSound)
        #expect(try await !again.read { try $0.feedIDs(.unified) }.isEmpty)
        try await again.close()
    }
}
