import Coordination
import Dispatch
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Order of reads")
struct LaneQueueTests {
    private static let (anna, bert) = (Grantee.user("anna"), Grantee.user("bert"))

    /// The finished reads, in order.
    private final class Log: Sendable {
        private let entries = Lock<[String]>([])
        var names: [String] { entries.withLock { $0 } }
        func add(_ name: String) { entries.withLock { $0.append(name) } }
    }

    private func job(_ id: UInt64) -> Job<Void> {
        Job(id: id) { _ in
            {}
        } fail: { _ in
        }
    }

    /// The numbers of all jobs in the order in which they are taken.
    private func order(_ queue: LaneQueue<Void>) -> [UInt64] {
        var queue = queue
        var ids: [UInt64] = []
        while let job = queue.popFirst() { ids.append(job.id) }
        #expect(queue.isEmpty && queue.count == 0)
        return ids
    }

    @Test("Clients take turns, each with its own jobs in order")
    func turns() {
        var queue = LaneQueue<Void>()
        for id in 1...3 as ClosedRange<UInt64> { queue.append(job(id), ReadPriority(client: Self.anna)) }
        for id in 11...12 as ClosedRange<UInt64> { queue.append(job(id), ReadPriority(client: Self.bert)) }
        queue.append(job(21), ReadPriority())
        #expect(queue.count == 6)
        #expect(order(queue) == [1, 11, 21, 2, 12, 3])
    }

    @Test("Requests go before woken feeds, which make progress under any number of requests")
    func lanes() {
        var queue = LaneQueue<Void>()
        for id in 101...103 as ClosedRange<UInt64> { queue.append(job(id), ReadPriority(client: Self.anna, isFeed: true)) }
        for id in 1...9 as ClosedRange<UInt64> { queue.append(job(id), ReadPriority(client: Self.anna)) }
        #expect(order(queue) == [1, 2, 3, 4, 101, 5, 6, 7, 8, 102, 9, 103])
    }

    @Test("A withdrawn job does not change the turns of others")
    func removal() {
        var queue = LaneQueue<Void>()
        queue.append(job(1), ReadPriority(client: Self.anna))
        queue.append(job(2), ReadPriority(client: Self.bert))
        queue.append(job(3), ReadPriority(client: Self.anna))
        queue.append(job(4), ReadPriority(client: Self.bert, isFeed: true))
        #expect(queue.remove(9, ReadPriority(client: Self.anna)) == nil)
        #expect(queue.remove(2, ReadPriority(client: Self.anna)) == nil)
        #expect(queue.remove(2, ReadPriority(client: Self.bert))?.id == 2)
        #expect(queue.remove(1, ReadPriority(client: Self.anna))?.id == 1)
        #expect(queue.remove(4, ReadPriority(client: Self.bert, isFeed: true))?.id == 4)
        queue.append(job(5), ReadPriority(client: Self.bert))
        #expect(order(queue) == [3, 5])
    }

    @Test("A client's request is read before the rest of another client's", arguments: StorageEngine.all)
    func throughStore(_ engine: StorageEngine) async throws {
        try await withStore(engine, { $0.readerCount = 1 }) { store async throws in
            let log = Log()
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            // The only reader is busy until all others wait.
            let semaphore = DispatchSemaphore(value: 0)
            async let holding: Void = store.read { _ in
                release.yield()
                semaphore.wait()
            }
            for await _ in released { break }
            var reads: [Task<Void, any Error>] = []
            func add(_ name: String, _ share: ReadPriority) async {
                let before = store.queuedReads
                reads.append(Task { try await store.read(as: share) { _ in log.add(name) } })
                await eventually { store.queuedReads != before }
            }
            for number in 1...3 { await add("anna \(number)", ReadPriority(client: Self.anna)) }
            await add("feed", ReadPriority(client: Self.anna, isFeed: true))
            await add("bert", ReadPriority(client: Self.bert))
            semaphore.signal()
            try await holding
            for read in reads { try await read.value }
            #expect(log.names == ["anna 1", "bert", "anna 2", "anna 3", "feed"])
        }
    }
}
