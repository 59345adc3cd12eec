import TestSupport
import Testing

@testable import Storage

@Suite("Permits")
struct PermitsTests {
    /// Holds a permit until it is released.
    private struct Holder {
        private let task: Task<Int?, Never>
        private let ending: AsyncStream<Void>.Continuation

        init(_ permits: Permits) async {
            let (endings, ending) = AsyncStream<Void>.makeStream()
            let (started, hasStarted) = AsyncStream<Void>.makeStream()
            self.ending = ending
            task = Task {
                await permits.run {
                    hasStarted.finish()
                    for await _ in endings {}
                    return 1
                }
            }
            for await _ in started {}
        }

        func end() async -> Int? {
            ending.finish()
            return await task.value
        }
    }

    @Test("A cancelled waiter takes no permit")
    func cancelled() async {
        let permits = Permits(count: 1)
        let holder = await Holder(permits)
        let cancelled = Task { await permits.run { 2 } }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        #expect(await holder.end() == 1)
        #expect(await permits.run { 3 } == 3)
    }

    @Test("A task that is cancelled before its request gets no permit")
    func late() async {
        let permits = Permits(count: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await permits.run { 2 }
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(await permits.run { 3 } == 3)
    }

    @Test("A request beyond the limit of waiters is refused")
    func full() async {
        let permits = Permits(count: 1, waiting: 0)
        let holder = await Holder(permits)
        #expect(await permits.run { 2 } == nil)
        #expect(await holder.end() == 1)
        #expect(await permits.run { 3 } == 3)
    }

    @Test("Clients take turns, whatever the order of requests")
    func turns() async {
        let permits = Permits(count: 1)
        let holder = await Holder(permits)
        let (order, told) = AsyncStream<Int>.makeStream()
        var tasks: [Task<Void?, Never>] = []
        for (number, name) in ["anna", "anna", "anna", "bert"].enumerated() {
            tasks.append(Task { await permits.run(as: Grantee(.user, name)) { _ = told.yield(number) } })
            await eventually { permits.waiting == number + 1 }
        }
        #expect(await holder.end() == 1)
        for task in tasks { _ = await task.value }
        told.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == [0, 3, 1, 2])
    }

    @Test("As many tasks run as there are permits, every client gets its turn, and a failure returns the permit", arguments: [1, 3])
    func many(count: Int) async throws {
        struct Fault: Error {}
        actor Counter {
            private(set) var most = 0
            private var now = 0
            func enter() {
                now += 1
                most = max(most, now)
            }
            func leave() { now -= 1 }
        }
        let (permits, counter) = (Permits(count: count), Counter())
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do {
                        return try await permits.run {
                            await counter.enter()
                            await Task.yield()
                            await counter.leave()
                            if number.isMultiple(of: 7) { throw Fault() }
                            return true
                        } ?? false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 100)
        #expect(await counter.most <= count)
    }
}
