import Foundation
import Testing

@testable import Supervision

@Suite("Detection of the part that ends the process at its start")
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
        // Later processes leave it out, and it stays held back.
        ledger.end(.signalled(SIGILL))
        #expect(ledger.held == [shop])
    }

    @Test("A part that has started is no suspect, also if it was one before")
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

    @Test("Of several parts in progress, the faulty one is found by the next starts")
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

    @Test("A held-back part that was started on request is started with the next process")
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
        "A signal from outside, or an exit, is no fault",
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
