import Coordination
import Testing

@Suite("Gates that hold work back")
struct FlowGateTests {
    private let executor = StepExecutor()
    private let log = Log()
    private let gate = FlowGate()

    private func pass(_ name: String) -> Task<Void, Never> {
        executor.start(name, in: log) { [gate] in try await gate.pass() }
    }

    @Test("A gate is open at first, and tasks pass it in the order of arrival when it opens again")
    func order() {
        #expect(!gate.isClosed && !gate.hasFailed)
        _ = pass("a")
        gate.close()
        #expect(gate.isClosed)
        for name in ["b", "c", "d"] { _ = pass(name) }
        #expect(log.entries == ["a"])
        gate.open()
        executor.run()
        #expect(!gate.isClosed)
        #expect(log.entries == ["a", "b", "c", "d"])
    }

    @Test("A task passes once it was let through, even if the gate closes before the task runs")
    func closedAgain() {
        gate.close()
        _ = pass("a")
        gate.open()
        gate.close()
        executor.run()
        _ = pass("b")
        #expect(log.entries == ["a"])
    }

    @Test("A failure ends the wait of all tasks, and the first failure stays")
    func failure() {
        gate.close()
        for name in ["a", "b"] { _ = pass(name) }
        gate.fail(Fault("first"))
        executor.run()
        #expect(gate.hasFailed && !gate.isClosed)
        gate.fail(Fault("second"))
        gate.open()
        _ = pass("c")
        #expect(log.entries == ["a: first", "b: first", "c: first"])
    }

    @Test("A cancelled task ends its wait, and the others keep their order")
    func cancellation() {
        gate.close()
        _ = pass("a")
        let cancelled = pass("b")
        _ = pass("c")
        executor.cancel(cancelled)
        executor.cancel(cancelled)
        #expect(log.entries == ["b: CancellationError()"])
        gate.open()
        executor.run()
        #expect(log.entries == ["b: CancellationError()", "a", "c"])
    }

    @Test("A task that is cancelled before the gate passes an open gate, and does not wait at a closed one", arguments: [true, false])
    func cancelledBefore(isOpen: Bool) {
        if !isOpen { gate.close() }
        let task = Task(executorPreference: executor) { [gate, log] in
            do {
                try await gate.pass()
                log.add("passed")
            } catch {
                log.add("\(error)")
            }
        }
        executor.cancel(task)
        #expect(log.entries == [isOpen ? "passed" : "CancellationError()"])
    }

    @Test("A cancellation after the gate has opened has no effect")
    func cancelledAfter() {
        gate.close()
        let task = pass("a")
        gate.open()
        executor.cancel(task)
        #expect(log.entries == ["a"])
    }

    @Test("Each of many tasks ends exactly once while the gate opens, closes and is left by cancelled tasks")
    func manyTasks() async {
        for _ in 0..<50 {
            let gate = FlowGate()
            gate.close()
            let ended = Count()
            let tasks = (0..<100).map { _ in
                Task {
                    try? await gate.pass()
                    ended.add(1)
                }
            }
            await withTaskGroup(of: Void.self) { group in
                for (number, task) in tasks.enumerated() where number % 3 == 0 { group.addTask { task.cancel() } }
                group.addTask {
                    for _ in 0..<10 {
                        gate.open()
                        gate.close()
                    }
                }
            }
            gate.open()
            for task in tasks { await task.value }
            #expect(ended.value == 100)
        }
    }
}
