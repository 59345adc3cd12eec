import Coordination
import Testing

@Suite("Waiting for the end of activities")
struct WaitGroupTests {
    private let executor = StepExecutor()
    private let log = Log()
    private let group = WaitGroup()

    private func wait(_ name: String) -> Task<Void, Never> {
        executor.start(name, in: log) { [group] in await group.wait() }
    }

    @Test("Nobody waits for nothing, and all wait for the last activity")
    func order() {
        _ = wait("a")
        #expect(log.entries == ["a"])
        group.enter()
        group.enter()
        for name in ["b", "c"] { _ = wait(name) }
        group.leave()
        executor.run()
        #expect(group.count == 1 && log.entries == ["a"])
        group.leave()
        executor.run()
        #expect(group.count == 0 && log.entries == ["a", "b", "c"])
    }

    @Test("An activity that begins after the last one has ended does not stop those that waited for that")
    func beginsAgain() {
        group.enter()
        _ = wait("a")
        group.leave()
        group.enter()
        executor.run()
        _ = wait("b")
        #expect(log.entries == ["a"])
        group.leave()
        executor.run()
        #expect(log.entries == ["a", "b"])
    }

    @Test("A cancelled task waits for the end, too")
    func cancellation() {
        group.enter()
        let task = wait("a")
        executor.cancel(task)
        #expect(log.entries.isEmpty)
        group.leave()
        executor.run()
        #expect(log.entries == ["a"])
    }

    @Test("No wait ends before the last of many activities, and none goes on after it")
    func manyTasks() async {
        for _ in 0..<50 {
            let group = WaitGroup()
            let ended = Count()
            for _ in 0..<100 { group.enter() }
            await withTaskGroup(of: Void.self) { tasks in
                for number in 0..<120 {
                    tasks.addTask {
                        if number < 100 {
                            ended.add(1)
                            group.leave()
                        } else {
                            await group.wait()
                            #expect(ended.value == 100)
                        }
                    }
                }
            }
            #expect(group.count == 0)
        }
    }
}
