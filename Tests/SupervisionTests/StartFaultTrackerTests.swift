import Foundation
import Testing

@testable import Supervision

@Suite("Which part of a start ends the process")
struct StartFaultTrackerTests {
    private let shop = StartPart(.database, "shop")
    private let pull = StartPart(.replication, "shop/pull")
    private let push = StartPart(.replication, "shop/push")

    @Test("The second fault in a row during one part holds it back")
    func twice() {
        var ledger = StartFaultTracker()
        ledger.begin(shop)
        ledger.end(.signalled(SIGILL))
        #expect(ledger.suspects == [shop] && ledger.held == [])
        ledger.begin(shop)
        ledger.end(.signalled(SIGTRAP))
        #expect(ledger.suspects == [] && ledger.held == [shop])
        // Later processes leave it out, and it stays so.
        ledger.end(.signalled(SIGILL))
        #expect(ledger.held == [shop])
    }

    @Test("A part that is settled is no suspect, also where it was one before")
    func settled() {
        var ledger = StartFaultTracker()
        ledger.begin(shop)
        ledger.settle(shop)
        ledger.begin(pull)
        ledger.end(.signalled(SIGILL))
        #expect(ledger.suspects == [pull])
        ledger.begin(pull)
        ledger.settle(pull)
        ledger.end(.signalled(SIGILL))
        #expect(ledger.suspects == [] && ledger.held == [])
    }

    @Test("Of several parts that were under way, the one that does it is found by the next starts")
    func several() {
        var ledger = StartFaultTracker()
        ledger.begin(pull)
        ledger.begin(push)
        ledger.end(.signalled(SIGILL))
        #expect(ledger.suspects == [pull, push])
        // One at a time.
        ledger.begin(pull)
        ledger.settle(pull)
        ledger.begin(push)
        ledger.end(.signalled(SIGILL))
        #expect(ledger.suspects == [] && ledger.held == [push])
    }

    @Test("A part that was held back, and is settled, is begun with the next start")
    func released() {
        var ledger = StartFaultTracker()
        for _ in 0..<2 {
            ledger.begin(shop)
            ledger.end(.signalled(SIGILL))
        }
        #expect(ledger.held == [shop])
        ledger.settle(shop)
        ledger.end(.signalled(SIGKILL))
        #expect(ledger.suspects == [] && ledger.held == [])
    }

    @Test(
        "Who is killed, or exits, has done nothing",
        arguments: [Ending.signalled(SIGKILL), .signalled(SIGTERM), .exited(code: 3), .unstarted(EAGAIN)])
    func killed(ending: Ending) {
        var ledger = StartFaultTracker()
        for _ in 0..<3 {
            ledger.begin(shop)
            ledger.end(ending)
        }
        #expect(ledger.suspects == [] && ledger.held == [])
    }
}
