import Foundation
import Testing

@testable import Supervision

@Suite("Restarts of a process that has ended")
struct RestartPolicyTests {
    @Test("Before any process has served, an exit ends the supervisor with the same code", arguments: [0, 2, 3, 255] as [Int32])
    func exit(code: Int32) {
        var policy = RestartPolicy()
        #expect(policy.decide(.exited(code: code), served: false, isStopping: false, now: 0) == .end(code: code))
        // Also after a process that was killed before it served.
        #expect(policy.decide(.signalled(SIGKILL), served: false, isStopping: false, now: 0) == .restart(after: 0.5))
        #expect(policy.decide(.exited(code: code), served: false, isStopping: false, now: 1) == .end(code: code))
    }

    @Test("Once a process has served, a process that exits with an error is replaced, with delays")
    func exitOfServed() {
        var policy = RestartPolicy()
        #expect(policy.decide(.signalled(SIGILL), served: true, isStopping: false, now: 0) == .restart(after: 0))
        let waits = [2, 3, 255, 1].map { policy.decide(.exited(code: $0), served: false, isStopping: false, now: 1) }
        #expect(waits == [0.5, 1, 2, 4].map { .restart(after: $0) })
        #expect(policy.decide(.exited(code: 1), served: true, isStopping: false, now: 2) == .restart(after: 0))
        #expect(policy.decide(.exited(code: 1), served: false, isStopping: true, now: 3) == .end(code: 1))
        // Another process has ended it.
        #expect(policy.decide(.exited(code: 0), served: true, isStopping: false, now: 4) == .end(code: 0))
    }

    @Test("A process that cannot be started is retried, with delays, until the supervisor has to stop")
    func unstarted() {
        var policy = RestartPolicy()
        #expect(policy.decide(.signalled(SIGKILL), served: true, isStopping: false, now: 0) == .restart(after: 0))
        let waits = (0..<8).map { _ in policy.decide(.unstarted(EAGAIN), served: false, isStopping: false, now: 1) }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 30, 30].map { .restart(after: $0) })
        #expect(policy.decide(.unstarted(ENOMEM), served: false, isStopping: true, now: 2) == .end(code: 1))
    }

    @Test("Signals that request the end are no faults", arguments: [SIGTERM, SIGINT])
    func asked(signal: Int32) {
        var policy = RestartPolicy()
        #expect(policy.decide(.signalled(signal), served: true, isStopping: false, now: 0) == .end(code: 128 + signal))
    }

    @Test("Nothing is restarted after the supervisor has to stop")
    func stopping() {
        var policy = RestartPolicy()
        #expect(policy.decide(.signalled(SIGILL), served: true, isStopping: true, now: 0) == .end(code: 128 + SIGILL))
    }

    @Test(
        "A process that served is restarted at once, and after a second from the thirty-first time in a minute on",
        arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGKILL, SIGABRT])
    func served(signal: Int32) {
        var policy = RestartPolicy()
        for time in 0..<30 {
            #expect(policy.decide(.signalled(signal), served: true, isStopping: false, now: Double(time)) == .restart(after: 0))
        }
        for time in 30..<60 {
            #expect(policy.decide(.signalled(signal), served: true, isStopping: false, now: Double(time)) == .restart(after: 1))
        }
        // A minute after the first ones there is room again.
        #expect(policy.decide(.signalled(signal), served: true, isStopping: false, now: 100) == .restart(after: 0))
    }

    @Test("A process that never served waits twice as long each time, up to half a minute")
    func neverServed() {
        var policy = RestartPolicy()
        let waits = (0..<10).map { _ in policy.decide(.signalled(SIGTRAP), served: false, isStopping: false, now: 0) }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30].map { .restart(after: $0) })
        #expect(policy.decide(.signalled(SIGTRAP), served: true, isStopping: false, now: 0) == .restart(after: 0))
        #expect(policy.decide(.signalled(SIGTRAP), served: false, isStopping: false, now: 0) == .restart(after: 0.5))
    }

    @Test("The status of a process is decoded as the system encodes it")
    func status() {
        #expect(Ending(waitStatus: 0) == .exited(code: 0))
        #expect(Ending(waitStatus: 3 << 8) == .exited(code: 3))
        #expect(Ending(waitStatus: SIGILL) == .signalled(SIGILL))
        // With a core dump.
        #expect(Ending(waitStatus: SIGSEGV | 0x80) == .signalled(SIGSEGV))
        #expect(Ending.signalled(SIGTRAP).reason == "signal \(SIGTRAP) (SIGTRAP)")
        #expect(Ending.signalled(60).reason == "signal 60")
        #expect(Ending.exited(code: 3).reason == "exit code 3")
        #expect(Ending.unstarted(ENOMEM).reason == "Cannot allocate memory")
    }
}
