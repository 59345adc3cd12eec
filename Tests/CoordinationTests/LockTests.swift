import Coordination
import Testing

@Suite("Values under a lock")
struct LockTests {
    private final class Ledger: Sendable {
        let total = Lock(0)
        let lines = Lock<[Int]>([])
    }

    private struct Token: ~Copyable {
        let number: Int
        let log: Log

        deinit { log.add("end \(number)") }
    }

    @Test("A result and an error come out, and what was changed before the error stays")
    func results() {
        let ledger = Ledger()
        #expect(ledger.total.withLock { $0 } == 0)
        #expect(
            throws: Fault.self,
            performing: {
                try ledger.total.withLock { total in
                    total = 1
                    throw Fault("failed")
                }
            })
        let total = ledger.total.withLock { total in
            total += 1
            return total
        }
        #expect(total == 2)
    }

    @Test("A value that cannot be copied is kept, replaced and released once")
    func noncopyable() {
        let log = Log()
        do {
            let lock = Lock(Token(number: 1, log: log))
            lock.withLock { $0 = Token(number: 2, log: log) }
            #expect(log.entries == ["end 1"])
            let number = lock.withLock { $0.number }
            #expect(number == 2)
        }
        #expect(log.entries == ["end 1", "end 2"])
    }

    @Test("No change of many tasks is lost")
    func manyTasks() async {
        let ledger = Ledger()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    for _ in 0..<1_000 { ledger.total.withLock { $0 += 1 } }
                    ledger.lines.withLock { $0.append(number) }
                }
            }
        }
        #expect(ledger.total.withLock { $0 } == 100_000)
        #expect(ledger.lines.withLock { $0.sorted() } == Array(0..<100))
    }
}
