import Coordination
import Testing

@Suite("Work in the background")
struct BackgroundTaskTests {
    private let task = BackgroundTask()
    private let log = Log()

    private func startAfterPreparation(_ name: String) -> Bool {
        task.start(preparing: { log.add("prepared") }) { [log] in log.add(name) }
    }

    @Test("One piece of work runs at a time, and another one may follow")
    func start() async {
        let end = Promise<Void, Never>()
        #expect(!task.isRunning)
        #expect(task.start { await end.value() })
        #expect(task.isRunning)
        #expect(!startAfterPreparation("second"))
        end.resolve()
        await task.finished()
        #expect(!task.isRunning && log.entries.isEmpty)
        #expect(startAfterPreparation("third"))
        await task.finished()
        #expect(log.entries == ["prepared", "third"])
    }

    @TaskLocal private static var request = ""

    @Test("The work has no task-local value of the caller")
    func isolation() async {
        Self.$request.withValue("a") {
            _ = task.start { [log] in log.add("request: \(Self.request)") }
        }
        await task.finished()
        #expect(log.entries == ["request: "])
    }

    @Test("A stop cancels the work and waits for its end")
    func stop() async {
        let gate = FlowGate()
        gate.close()
        task.start { [log] in
            do { try await gate.pass() } catch { log.add("\(error)") }
            log.add("end")
        }
        await task.stop()
        #expect(!task.isRunning)
        #expect(log.entries == ["CancellationError()", "end"])
        await task.stop()
        await task.finished()
        #expect(task.start {})
        await task.finished()
    }

    @Test("The cancellation of the task that starts or awaits the work does not reach the work")
    func cancellation() async {
        let (begun, end) = (Promise<Void, Never>(), Promise<Void, Never>())
        let caller = Task { [task, log] in
            task.start {
                begun.resolve()
                await end.value()
                log.add("work \(Task.isCancelled)")
            }
            await task.finished()
            log.add("caller \(Task.isCancelled)")
        }
        await begun.value()
        caller.cancel()
        end.resolve()
        await caller.value
        #expect(log.entries == ["work false", "caller true"])
    }

    @Test("Of many starts at once one succeeds")
    func manyTasks() async {
        for _ in 0..<50 {
            let (task, end) = (BackgroundTask(), Promise<Void, Never>())
            let count = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { task.start { await end.value() } } }
                return await group.reduce(0) { $1 ? $0 + 1 : $0 }
            }
            #expect(count == 1)
            end.resolve()
            await task.stop()
        }
    }
}
