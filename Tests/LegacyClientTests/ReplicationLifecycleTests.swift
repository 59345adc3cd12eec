import Testing

@testable import LegacyClient

@Suite("Life cycle of a 1.x replication")
struct ReplicationLifecycleTests {
    private let offline = ReplicationError(.cannotConnect, "x")
    private let transient = ReplicationError(.unavailable, "x")
    private let permanent = ReplicationError(.unauthorized, "x")

    private func running(continuous: Bool = true) -> ReplicationLifecycle {
        var lifecycle = ReplicationLifecycle()
        #expect(lifecycle.start(isContinuous: continuous) == [.run])
        #expect(lifecycle.status == .active)
        return lifecycle
    }

    @Test("A one-shot replication is active until it ends, with or without an error, and is never idle")
    func oneShot() {
        for error in [nil, offline, transient, permanent] {
            var lifecycle = running(continuous: false)
            lifecycle.transfers(false)
            #expect(lifecycle.status == .active)
            #expect(lifecycle.ended(error).isEmpty)
            #expect(lifecycle.status == .stopped && lifecycle.lastError == error && lifecycle.failure == error)
            #expect(lifecycle.start(isContinuous: false) == [.run])
            #expect(lifecycle.lastError == nil && lifecycle.failure == nil)
        }
    }

    @Test(
        "A continuous replication alternates between idle and active, is offline with growing delays, and idle for 60 s after other errors")
    func continuous() {
        var lifecycle = running()
        lifecycle.transfers(false)
        #expect(lifecycle.status == .idle)
        lifecycle.transfers(true)
        #expect(lifecycle.status == .active)
        for seconds in [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600] {
            #expect(lifecycle.ended(offline) == [.wait(.seconds(seconds))])
            #expect(lifecycle.status == .offline && lifecycle.lastError == offline)
            #expect(lifecycle.waited() == [.run])
            #expect(lifecycle.status == .active)
        }
        lifecycle.connected()
        #expect(lifecycle.ended(transient) == [.wait(.seconds(60))])
        #expect(lifecycle.status == .idle)
        #expect(lifecycle.retry() == [.cancelWait, .run])
        #expect(lifecycle.ended(offline) == [.wait(.seconds(2))])
    }

    @Test("A replication that waits after an error, or reads no feed, is interrupted, whatever its status")
    func interruption() {
        var lifecycle = running()
        lifecycle.transfers(false)
        #expect(!lifecycle.isInterrupted)
        for error in [transient, offline] {
            #expect(lifecycle.ended(error).count == 1 && lifecycle.isInterrupted)
            #expect(lifecycle.waited() == [.run] && !lifecycle.isInterrupted)
        }
        lifecycle.transfers(false)
        lifecycle.interrupted(transient)
        #expect(lifecycle.isInterrupted && lifecycle.status == .idle && lifecycle.lastError == transient)
        lifecycle.resumed()
        #expect(!lifecycle.isInterrupted && lifecycle.status == .idle)
        lifecycle.interrupted(transient)
        #expect(lifecycle.ended(permanent).isEmpty && !lifecycle.isInterrupted)
        lifecycle.interrupted(transient)
        #expect(!lifecycle.isInterrupted && lifecycle.lastError == permanent)
    }

    @Test("A limit of attempts applies to both kinds of replication, and progress resets the count", arguments: [false, true])
    func attempts(isContinuous: Bool) {
        var lifecycle = ReplicationLifecycle()
        #expect(lifecycle.start(isContinuous: isContinuous, attempts: ReplicationAttempts(maximum: 1)) == [.run])
        #expect(lifecycle.ended(offline).isEmpty && lifecycle.status == .stopped && lifecycle.lastError == offline)
        #expect(lifecycle.start(isContinuous: isContinuous, attempts: ReplicationAttempts(maximum: 3, longestWait: 3)) == [.run])
        #expect(lifecycle.ended(transient) == [.wait(.seconds(2))] && lifecycle.waited() == [.run])
        #expect(lifecycle.ended(offline) == [.wait(.seconds(3))] && lifecycle.status == .offline && lifecycle.waited() == [.run])
        lifecycle.progressed()
        #expect(lifecycle.ended(offline) == [.wait(.seconds(3))] && lifecycle.waited() == [.run])
        #expect(lifecycle.ended(offline) == [.wait(.seconds(3))] && lifecycle.waited() == [.run])
        #expect(lifecycle.ended(transient).isEmpty && lifecycle.status == .stopped && lifecycle.lastError == transient)
        for error in [permanent, nil] {
            #expect(lifecycle.start(isContinuous: isContinuous, attempts: ReplicationAttempts(maximum: 5)) == [.run])
            #expect(lifecycle.ended(error).isEmpty && lifecycle.status == .stopped && lifecycle.lastError == error)
        }
    }

    @Test("The delays between attempts at single requests grow")
    func requestDelays() {
        #expect(ReplicationAttempts().requestDelays == [.seconds(4), .seconds(8)])
        #expect(ReplicationAttempts(maximum: 1).requestDelays.isEmpty)
        #expect(ReplicationAttempts(maximum: 4, longestWait: 5).requestDelays == [.seconds(2), .seconds(4), .seconds(5)])
        #expect(ReplicationAttempts(maximum: 3, longestWait: 1).requestDelays == [.seconds(1), .seconds(1)])
    }

    @Test("A permanent error stops a continuous replication")
    func permanentError() {
        for code in [400, 401, 403, 404, 405, 409, 412, 415, -1000, -1202] {
            var lifecycle = running()
            #expect(lifecycle.ended(ReplicationError(.init(rawValue: code), "x")).isEmpty)
            #expect(lifecycle.status == .stopped && lifecycle.lastError?.code.rawValue == code)
        }
        for code in [408, 429, 500, 502, 503, 504, 589, 590, -1001, -1004, -1005] {
            var lifecycle = running()
            #expect(lifecycle.ended(ReplicationError(.init(rawValue: code), "x")).count == 1)
            #expect(lifecycle.status != .stopped)
        }
    }

    @Test("The last of stop, start and restart in quick succession counts")
    func quick() {
        var lifecycle = running()
        #expect(lifecycle.start(isContinuous: true).isEmpty)
        #expect(lifecycle.stop() == [.cancel])
        #expect(lifecycle.stop().isEmpty)
        #expect(lifecycle.start(isContinuous: true).isEmpty)
        #expect(lifecycle.stop().isEmpty)
        #expect(lifecycle.start(isContinuous: false).isEmpty)
        #expect(lifecycle.ended(nil) == [.run])
        #expect(lifecycle.restart(isContinuous: true) == [.cancel])
        #expect(lifecycle.ended(transient) == [.run])
        #expect(lifecycle.status == .active && lifecycle.lastError == nil)
        #expect(lifecycle.stop() == [.cancel])
        #expect(lifecycle.ended(transient).isEmpty)
        #expect(lifecycle.status == .stopped && lifecycle.stop().isEmpty && lifecycle.waited().isEmpty && lifecycle.retry().isEmpty)
    }

    @Test("During a delay, stop ends the replication and restart runs it at once")
    func waiting() {
        var lifecycle = running()
        _ = lifecycle.ended(offline)
        #expect(lifecycle.start(isContinuous: true).isEmpty)
        #expect(lifecycle.stop() == [.cancelWait])
        #expect(lifecycle.status == .stopped)
        _ = lifecycle.start(isContinuous: true)
        _ = lifecycle.ended(offline)
        #expect(lifecycle.restart(isContinuous: true) == [.cancelWait, .run])
    }

    @Test("A server that responds at once without new rows is requested with growing delays")
    func pace() {
        var pace = PollBackoff()
        var waits: [Duration] = []
        for _ in 0..<12 { waits.append(pace.delay(isNew: false, waited: .milliseconds(1))) }
        #expect(waits == Array(repeating: .zero, count: 8) + [.seconds(2), .seconds(4), .seconds(8), .seconds(16)])
        #expect(pace.delay(isNew: true, waited: .zero) == .zero)
        #expect(pace.delay(isNew: false, waited: .zero) == .zero)
    }
}
