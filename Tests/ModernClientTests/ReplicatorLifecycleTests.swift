import Testing

@testable import ModernClient

enum LifecycleCall: String, CaseIterable {
    case start, stop, suspend, resume

    func callAsFunction(_ lifecycle: inout ReplicatorLifecycle) -> [ReplicatorLifecycle.Effect] {
        switch self {
        case .start: lifecycle.start()
        case .stop: lifecycle.stop()
        case .suspend: lifecycle.setSuspended(true)
        case .resume: lifecycle.setSuspended(false)
        }
    }
}

/// A cell of the table: a state, a call, and the result.
struct LifecycleCell: CustomTestStringConvertible {
    let from: ReplicatorLifecycle.State
    let call: LifecycleCall
    let to: ReplicatorLifecycle.State
    var effects: [ReplicatorLifecycle.Effect] = []
    var resumes = false
    var resumedBefore = false

    var testDescription: String { "\(from) \(call)\(resumedBefore ? " with the resume flag" : "")" }
}

private let transient = ReplicatorError(.http(503), "down")
private let permanent = ReplicatorError(.unauthorized, "who?")
private let quiet = ReplicatorLifecycle.State.stopping(isSuspending: false)
private let suspending = ReplicatorLifecycle.State.stopping(isSuspending: true)

let lifecycleTable: [LifecycleCell] = [
    LifecycleCell(from: .stopped, call: .start, to: .connecting, effects: [.connect(reset: false)]),
    LifecycleCell(from: .stopped, call: .stop, to: .stopped),
    LifecycleCell(from: .stopped, call: .suspend, to: .stopped),
    LifecycleCell(from: .stopped, call: .resume, to: .stopped),
    LifecycleCell(from: .connecting, call: .start, to: .connecting),
    LifecycleCell(from: .connecting, call: .stop, to: quiet, effects: [.disconnect]),
    LifecycleCell(from: .connecting, call: .suspend, to: suspending, effects: [.disconnect]),
    LifecycleCell(from: .connecting, call: .resume, to: .connecting),
    LifecycleCell(from: .busy, call: .start, to: .busy),
    LifecycleCell(from: .busy, call: .stop, to: quiet, effects: [.disconnect]),
    LifecycleCell(from: .busy, call: .suspend, to: suspending, effects: [.disconnect]),
    LifecycleCell(from: .busy, call: .resume, to: .busy),
    LifecycleCell(from: .idle, call: .start, to: .idle),
    LifecycleCell(from: .idle, call: .stop, to: quiet, effects: [.disconnect]),
    LifecycleCell(from: .idle, call: .suspend, to: suspending, effects: [.disconnect]),
    LifecycleCell(from: .idle, call: .resume, to: .idle),
    LifecycleCell(from: .offline, call: .start, to: .offline),
    LifecycleCell(from: .offline, call: .stop, to: quiet, effects: [.cancelWait, .disconnect]),
    LifecycleCell(from: .offline, call: .suspend, to: .offline),
    LifecycleCell(from: .offline, call: .resume, to: .connecting, effects: [.cancelWait, .connect(reset: false)]),
    LifecycleCell(from: suspending, call: .start, to: suspending),
    LifecycleCell(from: suspending, call: .stop, to: quiet),
    LifecycleCell(from: suspending, call: .stop, to: quiet, resumedBefore: true),
    LifecycleCell(from: suspending, call: .suspend, to: suspending, resumedBefore: true),
    LifecycleCell(from: suspending, call: .resume, to: suspending, resumes: true),
    LifecycleCell(from: quiet, call: .start, to: quiet, resumes: true),
    LifecycleCell(from: quiet, call: .stop, to: quiet, resumedBefore: true),
    LifecycleCell(from: quiet, call: .suspend, to: quiet),
    LifecycleCell(from: quiet, call: .resume, to: quiet),
]

@Suite("Life cycle of the replicator")
struct ReplicatorLifecycleTests {
    private typealias State = ReplicatorLifecycle.State

    static func lifecycle(in state: ReplicatorLifecycle.State, isContinuous: Bool = true) -> ReplicatorLifecycle {
        var lifecycle = ReplicatorLifecycle(isContinuous: isContinuous, backoff: ReplicatorBackoff(isContinuous: isContinuous))
        guard state != .stopped else { return lifecycle }
        _ = lifecycle.start()
        guard state != .connecting else { return lifecycle }
        if state == .offline {
            _ = lifecycle.closed(transient)
            return lifecycle
        }
        lifecycle.connected()
        switch state {
        case .idle: lifecycle.transfers(false)
        case .stopping(isSuspending: true): _ = lifecycle.setSuspended(true)
        case .stopping(isSuspending: false): _ = lifecycle.stop()
        default: break
        }
        return lifecycle
    }

    @Test("Every call in every state has the result of the table", arguments: lifecycleTable)
    func calls(_ cell: LifecycleCell) {
        var lifecycle = Self.lifecycle(in: cell.from)
        #expect(lifecycle.state == cell.from)
        if cell.resumedBefore {
            _ = cell.from == suspending ? lifecycle.setSuspended(false) : lifecycle.start()
            #expect(lifecycle.resumesWhenStopped)
        }
        #expect(cell.call(&lifecycle) == cell.effects)
        #expect(lifecycle.state == cell.to)
        #expect(lifecycle.resumesWhenStopped == cell.resumes)
    }

    @Test("A stopping or suspending replicator ends stopped or offline, and restarts without delay if it was asked to")
    func endsOfStopping() {
        for (state, end) in [(quiet, State.stopped), (suspending, .offline)] {
            var lifecycle = Self.lifecycle(in: state)
            #expect(lifecycle.closed(nil) == [])
            #expect(lifecycle.state == end)
            #expect(lifecycle.waited() == [])
            #expect(lifecycle.retry() == [])
        }
        var restarted = Self.lifecycle(in: quiet)
        _ = restarted.start(reset: true)
        #expect(restarted.closed(transient) == [.connect(reset: true)])
        #expect(restarted.state == .connecting)
        #expect(restarted.error == nil)
        var resumed = Self.lifecycle(in: suspending)
        _ = resumed.setSuspended(false)
        #expect(resumed.closed(nil) == [.connect(reset: false)])
        var stopped = Self.lifecycle(in: suspending)
        _ = stopped.stop()
        #expect(stopped.closed(nil) == [])
        #expect(stopped.state == .stopped)
    }

    @Test("Transient errors lead offline and back, and others stop")
    func errors() {
        for isContinuous in [true, false] {
            for state in [State.connecting, .busy] {
                var lifecycle = Self.lifecycle(in: state, isContinuous: isContinuous)
                #expect(lifecycle.closed(transient) == [.wait(.seconds(2))])
                #expect(lifecycle.activity == .offline)
                #expect(lifecycle.error == transient)
                #expect(lifecycle.waited() == [.connect(reset: false)])
                #expect(lifecycle.state == .connecting)
                lifecycle.connected()
                #expect(lifecycle.error == nil)
                #expect(lifecycle.closed(permanent) == [])
                #expect(lifecycle.activity == .stopped)
                #expect(lifecycle.error == permanent)
            }
        }
    }

    @Test("Only the documented codes are transient", arguments: 400..<600)
    func transientCodes(_ status: Int) {
        #expect(ReplicatorError(.http(status), "").isTransient == [408, 429, 500, 502, 503, 504].contains(status))
    }

    @Test("Only continuous replications retry an unknown host, and permanent network errors are never retried")
    func networkErrors() {
        let error = ReplicatorError(.unknownHost, "")
        var continuous = Self.lifecycle(in: .connecting, isContinuous: true)
        #expect(continuous.closed(error) == [.wait(.seconds(2))])
        var oneShot = Self.lifecycle(in: .connecting, isContinuous: false)
        #expect(oneShot.closed(error) == [])
        #expect(ReplicatorError(.dnsFailure, "").isTransient)
        for code in [
            ReplicatorError.Code.closedByPeer, .webSocketProtocolError, .unexpectedCondition, .permanentClose, .tlsCertificateUnknownRoot,
        ] {
            #expect(!ReplicatorError(code, "").isTransient)
        }
        for code in [ReplicatorError.Code.abnormalClose, .transientClose, .connectionRefused, .timeout] {
            #expect(ReplicatorError(code, "").isTransient)
        }
    }

    @Test("Only continuous replications are idle; one-shot ones stop without an error")
    func idle() {
        var continuous = Self.lifecycle(in: .busy)
        continuous.transfers(false)
        #expect(continuous.activity == .idle)
        continuous.transfers(true)
        #expect(continuous.activity == .busy)
        var oneShot = Self.lifecycle(in: .busy, isContinuous: false)
        oneShot.transfers(false)
        #expect(oneShot.activity == .busy)
        #expect(oneShot.closed(nil) == [])
        #expect(oneShot.activity == .stopped)
        #expect(oneShot.error == nil)
    }

    @Test("A connection that is lost without pending transfers is renewed without end, whatever the limit of attempts")
    func quietLine() {
        var lifecycle = ReplicatorLifecycle(isContinuous: true, backoff: ReplicatorBackoff(isContinuous: true, maxAttempts: 2))
        _ = lifecycle.start()
        for _ in 0..<5 {
            lifecycle.connected()
            lifecycle.transfers(false)
            #expect(lifecycle.closed(transient) == [.wait(.seconds(2))])
            #expect(lifecycle.waited() == [.connect(reset: false)])
        }
        // A connection that never gets that far is not.
        lifecycle.connected()
        #expect(lifecycle.closed(transient) == [])
    }

    @Test("While the server is unreachable, network errors are not retried; when it is reachable, they are retried at once")
    func reachability() {
        let network = ReplicatorError(.unknownHost, "")
        var lifecycle = Self.lifecycle(in: .offline)
        #expect(lifecycle.setReachable(false) == [.cancelWait])
        #expect(lifecycle.setReachable(false) == [])
        #expect(lifecycle.setReachable(true) == [.cancelWait, .connect(reset: false)])
        #expect(lifecycle.setReachable(false) == [] && lifecycle.state == .connecting)
        #expect(lifecycle.closed(network) == [] && lifecycle.state == .offline)
        #expect(lifecycle.setReachable(true) == [.cancelWait, .connect(reset: false)])
        _ = lifecycle.setReachable(false)
        // Other transient errors are retried all the same.
        #expect(lifecycle.closed(transient) == [.wait(.seconds(2))])
        _ = lifecycle.waited()
        _ = lifecycle.setSuspended(true)
        _ = lifecycle.closed(nil)
        #expect(lifecycle.setSuspended(false) == [] && lifecycle.state == .offline)
        #expect(lifecycle.setReachable(true) == [.cancelWait, .connect(reset: false)])
    }

    @Test("The app's own retry runs at once, and restarts the count")
    func retry() {
        var lifecycle = Self.lifecycle(in: .offline)
        #expect(lifecycle.retry() == [.cancelWait, .connect(reset: false)])
        #expect(lifecycle.backoff.attempts == 1)
        #expect(lifecycle.retry() == [])
    }
}
