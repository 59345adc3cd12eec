import Coordination
import Testing

@testable import LegacyClient

@Suite("Request queues of the 1.x replicator", .timeLimit(.minutes(2)))
struct PipelineTests {
    private struct Failure: Error {}

    /// The batches of numbers, as the workers received them.
    private final class Log: Sendable {
        private let all = Lock<[[Int]]>([])

        var batches: [[Int]] { all.withLock { $0 } }
        func record(_ batch: [Int]) { all.withLock { $0.append(batch) } }
    }

    @Test(
        "Every job is done once, in order with one worker, in batches of at most the requested size", arguments: [1, 3, 8], [1, 4, 100])
    func doesAll(_ workers: Int, _ batch: Int) async throws {
        let log = Log()
        try await Pipeline.run(workers: workers, batch: batch, until: StopSignal()) { queue in
            for start in stride(from: 0, to: 1_000, by: 10) { try await queue.add(Array(start..<start + 10)) }
        } work: {
            log.record($0)
        }
        let done = log.batches.flatMap { $0 }
        #expect(done.sorted() == Array(0..<1_000))
        #expect(workers > 1 || done == Array(0..<1_000))
        #expect(log.batches.allSatisfy { (1...batch).contains($0.count) })
    }

    @Test("An idle worker takes what is queued, and a busy one takes all that was queued meanwhile, up to its limit")
    func gathers() async throws {
        let queue = PipelineQueue<Int>(room: 100)
        try await queue.add([0])
        #expect(await queue.take(upTo: 10) == [0])
        for number in 1...25 { try await queue.add([number]) }
        #expect(await queue.take(upTo: 10) == Array(1...10))
        #expect(await queue.take(upTo: 100) == Array(11...25))
        await queue.finish()
        #expect(await queue.take(upTo: 10) == nil)
        await #expect(throws: CancellationError.self) { try await queue.add([1]) }
    }

    @Test("A producer is suspended while the queue is full, and resumes when a worker takes jobs")
    func holdsBack() async throws {
        let queue = PipelineQueue<Int>(room: 2)
        let added = Lock(0)
        let producer = Task {
            for number in 0..<50 {
                try await queue.add([number])
                added.withLock { $0 = number + 1 }
            }
            await queue.finish()
        }
        var taken: [Int] = []
        while let jobs = await queue.take(upTo: 1) {
            taken += jobs
            // Two jobs wait; the last one may not have been counted yet.
            #expect(added.withLock { $0 } <= taken.count + 2)
        }
        try await producer.value
        #expect(taken == Array(0..<50))
    }

    @Test("The first failure, of a worker or of the producer, ends the pipeline", arguments: [false, true])
    func fails(_ isProducer: Bool) async throws {
        await #expect(throws: Failure.self) {
            try await Pipeline.run(workers: 4, batch: 1, until: StopSignal()) { queue in
                for number in 0... {
                    try await queue.add([number])
                    if isProducer, number == 20 { throw Failure() }
                }
            } work: { jobs in
                if !isProducer, jobs.contains(20) { throw Failure() }
            }
        }
    }

    @Test("A stopped pipeline finishes the jobs in progress and no others")
    func stops() async throws {
        let stop = StopSignal()
        let log = Log()
        try await Pipeline.run(workers: 2, batch: 1, until: stop) { queue in
            for number in 0... { try await queue.add([number]) }
        } work: { jobs in
            log.record(jobs)
            if jobs.contains(10) { stop.raise() }
        }
        let done = log.batches.flatMap { $0 }
        #expect(done.contains(10))
        // The other worker may be one ahead, and take a job that it returns unprocessed.
        #expect(done.count <= 13)
    }

    @Test("Cancellation ends a pipeline whose workers wait for jobs or whose producer waits for room", arguments: [false, true])
    func cancels(_ isFull: Bool) async throws {
        let (waits, begun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await Pipeline.run(workers: 2, batch: 1, until: StopSignal()) { queue in
                if isFull { for number in 0... { try await queue.add([number]) } }
                begun.yield()
                try await Self.waitForCancellation()
            } work: { (_: [Int]) in
                begun.yield()
                try await Self.waitForCancellation()
            }
        }
        _ = await waits.first { _ in true }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private static func waitForCancellation() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        try Task.checkCancellation()
    }
}
