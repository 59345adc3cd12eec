import Dispatch
import Documents
import SQLiteStorage
import Storage
import Testing

@Suite("Reading snapshots")
struct ReadingTests {
    @Test("Readers see the last commit and do not wait for a writer", arguments: StorageEngine.all)
    func duringWrite(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            try await store.write { _ = try $0.add("a") }
            let semaphore = DispatchSemaphore(value: 0)
            let (started, starting) = AsyncStream.makeStream(of: Void.self)
            async let writing: Void = store.write { transaction in
                try transaction.add("b")
                starting.yield()
                semaphore.wait()
            }
            for await _ in started { break }
            for _ in 0..<20 { #expect(try await store.read { try $0.feedIDs(.unified) } == ["a"]) }
            semaphore.signal()
            try await writing
            #expect(try await store.read { try $0.feedIDs(.unified) } == ["a", "b"])
        }
    }

    @Test("A snapshot stays the same during later commits", arguments: StorageEngine.all)
    func isolation(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            try await store.write { _ = try $0.add("a") }
            let semaphore = DispatchSemaphore(value: 0)
            let (started, starting) = AsyncStream.makeStream(of: Void.self)
            async let ids = store.read { snapshot in
                let before = try snapshot.lastSequence
                starting.yield()
                semaphore.wait()
                let after = try snapshot.lastSequence
                return (before == after, try snapshot.feedIDs(.unified))
            }
            for await _ in started { break }
            try await store.write { _ = try $0.add("b") }
            semaphore.signal()
            let found = try await ids
            #expect(found.0)
            #expect(found.1 == ["a"])
        }
    }

    @Test("More readers than connections take turns, and cancelled ones leave the queue", arguments: StorageEngine.all)
    func turns(_ engine: StorageEngine) async throws {
        try await withStore(engine, { $0.readerCount = 1 }) { store async throws in
            try await store.write { _ = try $0.add("a") }
            let semaphore = DispatchSemaphore(value: 0)
            let (started, starting) = AsyncStream.makeStream(of: Void.self)
            async let holding: Void = store.read { _ in
                starting.yield()
                semaphore.wait()
            }
            for await _ in started { break }
            let cancelled = Task { try await store.read { try $0.feedIDs(.unified) } }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let waiting = (0..<20).map { _ in Task { try await store.read { try $0.feedIDs(.unified) } } }
            semaphore.signal()
            try await holding
            for task in waiting { #expect(try await task.value == ["a"]) }
        }
    }

    @Test("A query can be started again while it is open, to any depth", arguments: StorageEngine.all)
    func nesting(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store async throws in
            try await store.write { for id in ["a", "b", "c"] { try $0.add(id) } }
            let triples = try await store.read { snapshot in
                var triples: [String] = []
                try snapshot.feed(.unified, FeedStretch(limit: 10)) { first in
                    try snapshot.feed(.unified, FeedStretch(limit: 10)) { second in
                        try snapshot.feed(.unified, FeedStretch(limit: 10)) { third in
                            triples.append(first.id + second.id + third.id)
                            return true
                        }
                        return true
                    }
                    return true
                }
                return triples
            }
            #expect(triples.count == 27)
            #expect(triples.first == "aaa")
            #expect(triples.last == "ccc")
        }
    }

    @Test("A reader's error is passed on, and the connection continues", arguments: StorageEngine.all)
    func errors(_ engine: StorageEngine) async throws {
        try await withStore(engine, { $0.readerCount = 1 }) { store async throws in
            await #expect(throws: CancellationError.self) { try await store.read { _ in throw CancellationError() } }
            #expect(try await store.read { try $0.feedIDs(.unified) }.isEmpty)
        }
    }
}
