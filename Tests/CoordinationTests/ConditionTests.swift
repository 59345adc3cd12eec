import Coordination
import Testing

@Suite("Conditions and permits of an actor")
struct ConditionTests {
    /// An actor with a section for two tasks, and a state that tasks wait for.
    private actor Owner {
        private let changed = Condition()
        private let section = Semaphore(limit: 2)
        let log: Log

        init(_ log: Log) {
            self.log = log
        }

        var waiting: Int { section.waiting }

        func wait(_ name: String) async {
            await changed.wait()
            log.add(name)
        }

        func notifyOne() { changed.notifyOne() }
        func notifyAll() { changed.notifyAll() }

        func enter(_ name: String) async {
            await section.acquire()
            log.add(name)
        }

        func leave() { section.release() }
        func removeLimit() { section.removeLimit() }
    }

    private let executor = StepExecutor()
    private let log = Log()
    private let owner: Owner

    init() {
        owner = Owner(log)
    }

    private func call(_ work: @escaping @Sendable (Owner) async -> Void) {
        executor.start { [owner] in await work(owner) }
    }

    @Test("A notification resumes all that wait, in the order of arrival, and none that come later")
    func all() {
        call { await $0.notifyAll() }
        for name in ["a", "b", "c"] { call { await $0.wait(name) } }
        #expect(log.entries.isEmpty)
        call { await $0.notifyAll() }
        call { await $0.wait("d") }
        #expect(log.entries == ["a", "b", "c"])
        call { await $0.notifyAll() }
        #expect(log.entries == ["a", "b", "c", "d"])
    }

    @Test("A notification of one task resumes the one that has waited longest")
    func one() {
        call { await $0.notifyOne() }
        for name in ["a", "b", "c"] { call { await $0.wait(name) } }
        call { await $0.notifyOne() }
        #expect(log.entries == ["a"])
        call { await $0.notifyOne() }
        call { await $0.notifyAll() }
        #expect(log.entries == ["a", "b", "c"])
    }

    @Test("A cancelled task waits until it is notified")
    func cancelledWait() {
        let task = executor.start { [owner] in await owner.wait("a") }
        executor.cancel(task)
        #expect(log.entries.isEmpty)
        call { await $0.notifyAll() }
        #expect(log.entries == ["a"])
    }

    @Test("As many tasks as the limit are admitted; each that leaves admits the next in the order of arrival")
    func section() async {
        for name in ["a", "b", "c", "d", "e"] { call { await $0.enter(name) } }
        #expect(log.entries == ["a", "b"])
        #expect(await owner.waiting == 3)
        call { await $0.leave() }
        #expect(log.entries == ["a", "b", "c"])
        call { await $0.leave() }
        call { await $0.leave() }
        #expect(log.entries == ["a", "b", "c", "d", "e"])
        #expect(await owner.waiting == 0)
        call { await $0.leave() }
        call { await $0.leave() }
        for name in ["f", "g", "h"] { call { await $0.enter(name) } }
        #expect(log.entries == ["a", "b", "c", "d", "e", "f", "g"])
    }

    @Test("A cancelled task gets its permit in turn, and the permit is not lost")
    func cancelledEntry() {
        for name in ["a", "b"] { call { await $0.enter(name) } }
        let task = executor.start { [owner] in await owner.enter("c") }
        call { await $0.enter("d") }
        executor.cancel(task)
        #expect(log.entries == ["a", "b"])
        call { await $0.leave() }
        #expect(log.entries == ["a", "b", "c"])
        call { await $0.leave() }
        #expect(log.entries == ["a", "b", "c", "d"])
    }

    @Test("Without the limit all waiting tasks are admitted, and all later ones")
    func unlimited() async {
        for name in ["a", "b", "c", "d"] { call { await $0.enter(name) } }
        call { await $0.removeLimit() }
        call { await $0.enter("e") }
        #expect(log.entries == ["a", "b", "c", "d", "e"])
        #expect(await owner.waiting == 0)
        for _ in 0..<5 { call { await $0.leave() } }
        call { await $0.enter("f") }
        #expect(log.entries.last == "f")
    }
}
