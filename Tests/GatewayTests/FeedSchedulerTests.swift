import Coordination
import TestSupport
import Testing

@testable import Gateway

@Suite("Scheduling of woken feeds", .timeLimit(.minutes(5)))
struct FeedSchedulerTests {
    /// Work that occupies every slot of a kind until it is released.
    private final class Crowd: Sendable {
        private let started = Lock(0)
        private let isOver = Lock(false)

        var size: Int { started.withLock { $0 } }

        func work() async {
            started.withLock { $0 += 1 }
            await eventually { isOver.withLock { $0 } }
        }

        func end() { isOver.withLock { $0 = true } }
    }

    @Test("Requests do not wait for feeds, and neither kind of feed waits for the other", arguments: [FeedWorkKind.woken, .filtered])
    func kinds(busy: FeedWorkKind) async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        let crowd = Crowd()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { try await keyspace.take(busy) { await crowd.work() } } }
            await eventually { crowd.size >= 4 }
            #expect(try await keyspace.take(.request) { 1 } == 1)
            #expect(try await keyspace.take(busy == .woken ? .filtered : .woken) { 2 } == 2)
            #expect(crowd.size < 200)
            crowd.end()
            try await group.waitForAll()
        }
        #expect(crowd.size == 200)
    }

    @Test("A feed whose client disconnects while it waits for a slot ends")
    func cancelled() async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        let crowd = Crowd()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { try await keyspace.take(.woken) { await crowd.work() } } }
            await eventually { crowd.size >= 4 }
            let waiting = Task { try await keyspace.take(.woken) { 3 } }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            crowd.end()
            try await group.waitForAll()
        }
    }
}
