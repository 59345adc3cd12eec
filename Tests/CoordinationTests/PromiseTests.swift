import Coordination
import Testing

@Suite("Promises")
struct PromiseTests {
    private let executor = StepExecutor()
    private let log = Log()

    @Test("All waiting tasks get the value in the order of arrival, and later ones get it at once")
    func value() {
        let promise = Promise<Int, any Error>()
        for name in ["a", "b", "c"] {
            executor.start { [log] in log.add("\(name) \((try? await promise.value()) ?? 0)") }
        }
        #expect(!promise.isResolved && log.entries.isEmpty)
        promise.resolve(.success(1))
        executor.run()
        #expect(promise.isResolved)
        executor.start { [log] in log.add("d \((try? await promise.value()) ?? 0)") }
        #expect(log.entries == ["a 1", "b 1", "c 1", "d 1"])
    }

    @Test("The first result counts")
    func first() {
        let promise = Promise<Int, any Error>()
        promise.resolve(.failure(Fault("failed")))
        promise.resolve(.success(1))
        executor.start("a", in: log) { _ = try await promise.value() }
        #expect(log.entries == ["a: failed"])
    }

    @Test("An error reaches each waiting task")
    func failure() {
        let promise = Promise<Int, Fault>()
        for name in ["a", "b"] { executor.start(name, in: log) { _ = try await promise.value() } }
        promise.resolve(.failure(Fault("failed")))
        executor.run()
        #expect(log.entries == ["a: failed", "b: failed"])
    }

    @Test("A cancelled task waits for the result, whether it is cancelled before the wait or during it")
    func cancellation() {
        let promise = Promise<Void, Never>()
        let early = Task(executorPreference: executor) { [log] in
            await promise.value()
            log.add("early \(Task.isCancelled)")
        }
        executor.cancel(early)
        let late = executor.start { [log] in
            await promise.value()
            log.add("late \(Task.isCancelled)")
        }
        executor.cancel(late)
        #expect(log.entries.isEmpty)
        promise.resolve()
        executor.run()
        #expect(log.entries == ["early true", "late true"])
    }

    @Test("No task is missed when many wait while the promise is resolved on several threads")
    func manyTasks() async {
        for round in 0..<50 {
            let promise = Promise<Int, Never>()
            let values = await withTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        if number % 10 == 0 { promise.resolve(.success(round)) }
                        return await promise.value()
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(values == Array(repeating: round, count: 100))
        }
    }
}
