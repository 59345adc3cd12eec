import Coordination
import Testing

@testable import HTTP

@Suite("The memory account")
struct MemoryAccountTests {
    /// Counts the requests to release memory.
    private final class Eviction: Sendable {
        let count = Lock(0)
        var releases: Int { count.withLock { $0 } }
        func release() { count.withLock { $0 += 1 } }
    }

    @Test("Shares use memory, and return it when they shrink and when they are released")
    func draws() {
        let account = MemoryAccount(limit: 100)
        var first: MemoryShare? = account.share()
        let second = account.share()
        #expect(first?.resize(to: 60) == true)
        #expect(second.resize(to: 40))
        #expect(account.used == 100)
        #expect(!second.resize(to: 41))
        #expect(account.used == 100)
        #expect(account.refusals == 1)
        #expect(first?.resize(to: 50) == true)
        #expect(second.resize(to: 50))
        first = nil
        #expect(account.used == 50)
        #expect(second.resize(to: 100))
        #expect(second.resize(to: -1))
        #expect(account.used == 0)
        #expect(!second.resize(to: .max))
        #expect(!second.canHold(101) && second.canHold(100))
    }

    @Test("The largest share is asked once to release its memory if it can; otherwise the request is refused")
    func largest() {
        let account = MemoryAccount(limit: 100)
        let (large, small) = (Eviction(), Eviction())
        var most: MemoryShare? = account.share { large.release() }
        let least = account.share { small.release() }
        let fixed = account.share()
        #expect(most?.resize(to: 70) == true && least.resize(to: 20) && fixed.resize(to: 10))
        #expect(fixed.resize(to: 30))
        #expect(large.releases == 1 && small.releases == 0)
        // A share that is leaving counts as released, whatever it does until then.
        #expect(least.resize(to: 60))
        #expect(most?.resize(to: 75) == true)
        #expect(account.used == 165)
        #expect(large.releases == 1)
        most = nil
        #expect(account.used == 90)
        // The requester has the largest share itself.
        #expect(!least.resize(to: 80))
        #expect(small.releases == 0)
        #expect(account.refusals == 2)
    }

    @Test("A lower limit applies from the next request on")
    func change() {
        let account = MemoryAccount()
        let share = account.share()
        #expect(share.resize(to: 1 << 40))
        account.limit = 10
        #expect(share.resize(to: 1 << 39))
        #expect(!share.resize(to: (1 << 39) + 1))
        #expect(share.resize(to: 5))
        #expect(share.resize(to: 10))
    }
}
