/// What a replicator does next: the life cycle of LiteCore's `C4Replicator`, a state machine without I/O.
///
/// The host tells it of calls and of what becomes of the connection, and carries out what it answers.
struct ReplicatorLifecycle: Sendable, Hashable {
    enum State: Sendable, Hashable {
        case stopped
        case connecting
        case busy
        /// Continuous replications only.
        case idle
        case offline
        /// The connection is being closed; afterwards the replicator is offline if it is being suspended, stopped otherwise.
        case stopping(isSuspending: Bool)
    }

    /// What the host has to do.
    enum Effect: Sendable, Hashable {
        /// Open a connection. With `reset` the checkpoints are forgotten first.
        case connect(reset: Bool)
        /// Close the connection in order, or give up opening one; ``ReplicatorLifecycle/closed(_:)`` follows.
        case disconnect
        /// Call ``ReplicatorLifecycle/waited()`` after this long.
        case wait(Duration)
        /// There is nothing to wait for any more.
        case cancelWait
    }

    let isContinuous: Bool
    private let isPersistent: Bool
    private(set) var state = State.stopped
    private(set) var error: ReplicatorError?
    private(set) var backoff: ReplicatorBackoff

    /// Whether to start again as soon as the stopped or offline state is reached.
    private(set) var resumesWhenStopped = false

    /// Whether the start to come forgets the checkpoints.
    private var resetsOnStart = false

    /// Whether it is offline because it was suspended.
    private var isSuspended = false

    /// Whether the application holds the other side to be within reach.
    private var isReachable = true

    /// - Parameter isPersistent: Whether it goes on after whatever the server refuses.
    init(isContinuous: Bool, isPersistent: Bool = false, backoff: ReplicatorBackoff) {
        self.isContinuous = isContinuous
        self.isPersistent = isPersistent
        self.backoff = backoff
    }

    /// What the application is told.
    var activity: ReplicatorActivityLevel {
        switch state {
        case .stopped: .stopped
        case .connecting: .connecting
        case .busy, .stopping: .busy
        case .idle: .idle
        case .offline: .offline
        }
    }

    mutating func start(reset: Bool = false) -> [Effect] {
        switch state {
        case .stopped:
            error = nil
            backoff.reset()
            return connect(reset: reset)
        case .stopping(isSuspending: false):
            resumesWhenStopped = true
            resetsOnStart = resetsOnStart || reset
            return []
        case .stopping(isSuspending: true), .connecting, .busy, .idle, .offline:
            return []
        }
    }

    mutating func stop() -> [Effect] {
        switch state {
        case .stopped: return []
        case .connecting, .busy, .idle:
            state = .stopping(isSuspending: false)
            return [.disconnect]
        case .offline:
            state = .stopping(isSuspending: false)
            return [.cancelWait, .disconnect]
        case .stopping:
            state = .stopping(isSuspending: false)
            resumesWhenStopped = false
            resetsOnStart = false
            return []
        }
    }

    mutating func setSuspended(_ isSuspended: Bool) -> [Effect] {
        switch (state, isSuspended) {
        case (.connecting, true), (.busy, true), (.idle, true):
            state = .stopping(isSuspending: true)
            return [.disconnect]
        case (.offline, false) where isReachable:
            backoff.reset()
            return [.cancelWait] + connect(reset: false)
        case (.offline, false):
            self.isSuspended = false
            return []
        case (.stopping(isSuspending: true), _):
            resumesWhenStopped = !isSuspended
            return []
        default:
            return []
        }
    }

    /// The network has changed, and the other side may be within reach.
    mutating func retry() -> [Effect] {
        guard state == .offline, !isSuspended else { return [] }
        backoff.reset()
        return [.cancelWait] + connect(reset: false)
    }

    /// The application knows whether the other side is within reach, as by the state of the network (LiteCore's `setHostReachable`).
    mutating func setReachable(_ isReachable: Bool) -> [Effect] {
        guard isReachable != self.isReachable else { return [] }
        self.isReachable = isReachable
        return isReachable ? retry() : state == .offline ? [.cancelWait] : []
    }

    /// The connection is open and negotiated.
    mutating func connected() {
        guard state == .connecting else { return }
        // A server that refuses what follows is not asked more often for letting the connection come about.
        if !isPersistent { backoff.noteConnection() }
        error = nil
        state = .busy
    }

    /// Something was replicated.
    mutating func replicated() {
        backoff.reset()
    }

    /// Whether there is something to transfer.
    mutating func transfers(_ isBusy: Bool) {
        switch state {
        case .idle where isBusy: state = .busy
        case .busy where !isBusy && isContinuous:
            state = .idle
            // The other side is there and takes what it is told, though there was nothing to transfer: a quiet line that breaks off now and then is
            // connected anew without end.
            backoff.reset()
        default: break
        }
    }

    /// The connection has ended, or did not come about: with an error, or because all is done or it was asked to.
    mutating func closed(_ failure: ReplicatorError?) -> [Effect] {
        switch state {
        case .stopped, .offline:
            return []
        case .stopping(let isSuspending):
            state = isSuspending ? .offline : .stopped
            self.isSuspended = isSuspending
            guard resumesWhenStopped else { return [] }
            backoff.reset()
            return connect(reset: resetsOnStart)
        case .connecting, .busy, .idle:
            error = failure
            guard let failure, shouldRetry(after: failure), let wait = backoff.next() else {
                state = .stopped
                return []
            }
            state = .offline
            isSuspended = false
            return isReachable || failure.isTransient ? [.wait(wait)] : []
        }
    }

    private func shouldRetry(after failure: ReplicatorError) -> Bool {
        failure.isTransient || (isContinuous && failure.isNetworkDependent) || (isPersistent && !failure.isOfSettings)
    }

    /// The time to wait is over.
    mutating func waited() -> [Effect] {
        guard state == .offline, !isSuspended else { return [] }
        return connect(reset: false)
    }

    private mutating func connect(reset: Bool) -> [Effect] {
        state = .connecting
        isSuspended = false
        resumesWhenStopped = false
        resetsOnStart = false
        return [.connect(reset: reset)]
    }
}
