import Cutover
import LegacyClient
import Testing

@testable import ReplicationService
@testable import Server

@Suite("The lag of a replication")
struct ReplicationLagTests {
    private func change(_ status: ReplicationStatus, isInterrupted: Bool = false, error: Int? = nil) -> ReplicationChange {
        var change = ReplicationChange()
        change.status = status
        change.isInterrupted = isInterrupted
        change.lastError = error.map { ReplicationError(.init(rawValue: $0), "error \($0)") }
        return change
    }

    private func state(_ pull: ReplicationChange, _ push: ReplicationChange) -> ReplicationState {
        ReplicationState(of: [(.pull, pull), (.push, push)])
    }

    @Test("A pair has caught up when both directions have, and neither waits after an error")
    func caughtUp() {
        let idle = change(.idle)
        #expect(state(idle, idle).isCaughtUp && state(idle, idle).lag(since: nil) == .seconds(0))
        // The last error stays after recovery.
        #expect(state(change(.idle, error: 500), idle).isCaughtUp)
        let others = [
            change(.idle, isInterrupted: true, error: 500), change(.offline, error: -1004), change(.active), change(.stopped, error: 403),
        ]
        for other in others {
            #expect(!state(idle, other).isCaughtUp && !state(other, idle).isCaughtUp, "\(other)")
        }
        #expect(!state(change(.stopped), change(.stopped)).isCaughtUp)
    }

    @Test("A restoration that both directions detect counts once until both have caught up; a later one counts again")
    func restorations() {
        func finding(_ count: Int, _ status: ReplicationStatus = .active) -> ReplicationChange {
            var found = change(status)
            found.restorations = count
            return found
        }
        var count = RestorationCount(halves: 2)
        for half in 0..<2 { count.record(change(.idle), ofHalf: half) }
        // The pull detects the restoration, and the idle push is restarted to check.
        count.record(finding(1), ofHalf: 0)
        count.willRestart(1)
        count.record(finding(1, .idle), ofHalf: 0)
        count.record(change(.idle), ofHalf: 1)
        count.record(change(.active), ofHalf: 1)
        count.record(finding(1), ofHalf: 1)
        count.record(finding(2), ofHalf: 1)
        #expect(count.count == 1)
        count.record(finding(1, .idle), ofHalf: 0)
        count.record(finding(2, .idle), ofHalf: 1)
        #expect(count.count == 1)
        count.record(finding(3), ofHalf: 1)
        #expect(count.count == 2)
    }

    @Test("An error is reported once, and again after a catch-up; a restored server is reported each time")
    func interruptions() {
        let idle = change(.idle)
        let waiting = state(change(.offline, error: 404), idle)
        var interruptions = ReplicationInterruptions()
        #expect(interruptions.record(state(idle, idle)).isEmpty && interruptions.holdUp == nil)
        #expect(interruptions.record(waiting) == [.heldUp(ReplicationFailure(.refused, status: 404, "error 404"))])
        #expect(interruptions.record(state(change(.active, error: 404), idle)).isEmpty && interruptions.holdUp?.status == 404)
        #expect(interruptions.record(waiting).isEmpty)
        #expect(interruptions.record(state(change(.offline, error: 503), idle)).count == 1)
        #expect(interruptions.record(state(idle, idle)).isEmpty && interruptions.holdUp == nil)
        #expect(interruptions.record(waiting).count == 1)
        #expect(interruptions.counts == [.refused: 2, .unreachable: 1])
        var restored = state(change(.active, error: 588), idle)
        restored.restorations = 1
        #expect(interruptions.record(restored) == [.restored])
        #expect(interruptions.record(restored).isEmpty)
        restored.restorations = 2
        #expect(interruptions.record(restored) == [.restored] && interruptions.restorations == 2)
        // The end of the interruption is reported, too; a stopped replication is not held up.
        #expect(interruptions.record(state(idle, idle)).isEmpty)
        let failed = state(change(.stopped, error: 403), change(.stopped))
        #expect(interruptions.record(failed, isWanted: false).isEmpty && interruptions.holdUp == nil)
        #expect(interruptions.record(failed).count == 1)
        #expect(interruptions.record(state(change(.stopped), change(.stopped))).isEmpty && interruptions.holdUp == nil)
    }

    @Test("The lag is the time since the last catch-up; a stopped replication, or one that never caught up, has none")
    func lag() {
        let idle = change(.idle)
        let waiting = state(change(.idle, isInterrupted: true, error: 500), idle)
        #expect(waiting.activity == .offline)
        #expect(waiting.lag(since: .seconds(5)) == .unknown("it is offline, and will try again: error 500"))
        #expect(waiting.lag(since: nil) == .unknown("it is offline, and will try again: error 500"))
        let half = state(idle, change(.stopped, error: 403))
        #expect(half.activity == .idle && half.halfFailure?.message == "error 403")
        #expect(ReplicationOutput.status(half) == "error" && ReplicationOutput.status(waiting) == "reconnecting")
        #expect(half.lag(since: .seconds(90)) == .unknown("it is stopped in one direction: error 403"))
        // The reason of the stopped direction is reported, not an error of the other.
        #expect(state(change(.idle, error: 500), change(.stopped, error: 403)).failure?.message == "error 403")
        // A pair of one-shot directions, of which one has finished.
        let done = state(change(.active, error: 500), change(.stopped))
        #expect(done.halfFailure == nil && ReplicationOutput.status(done) == "running")
        let stopped = state(change(.stopped), change(.stopped, error: 403))
        #expect(stopped.lag(since: .seconds(90)) == .unknown("it is stopped: error 403"))
        #expect(state(idle, change(.active)).lag(since: nil) == .unknown("it has not caught up yet"))
        #expect(state(idle, change(.active)).lag(since: .seconds(5)) == .seconds(5))
        // Between two attempts it is running, and has not caught up.
        let refusal = ReplicationFailure(.refused, status: 401, "no")
        #expect(
            state(idle, change(.active)).lag(since: .seconds(5), heldUpBy: refusal)
                == .unknown("it tries again: no. Set a login in `auth` that the server accepts"))
        #expect(state(idle, idle).lag(since: nil, heldUpBy: refusal) == .seconds(0))
    }
}
