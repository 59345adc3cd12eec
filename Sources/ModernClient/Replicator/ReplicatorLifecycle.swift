/// The life cycle of a replicator, modelled on LiteCore's `C4Replicator`: a state machine without I/O.
///
/// The host reports calls and connection events to it, and carries out the returned effects.
struct ReplicatorLifecycle: Sendable, Hashable {
    enum State: Sendable, Hashable {
        case stopped
        case connecting
        case busy
        /// Continuous replications only.
        case idle
        case offline
        /// The connection is being closed. Afterwards the replicator is offline if it is being suspended, else stopped.
        case stopping(isSuspending: Bool)
    }

    /// An action that the host has to carry out.
    enum Effect: Sendable, Hashable {
        /// Open a connection. With `reset`, remove the checkpoints first.
        case connect(reset: Bool)
        /// Close the connection, or cancel its opening; ``ReplicatorLifecycle/closed(_:)`` follows.
        case disconnect
        /// Call ``ReplicatorLifecycle/waited()`` after this duration.
        case wait(Duration)
        /// Cancel the pending wait.
        case cancelWait
    }

    let isContinuous: Bool
    private let isPersistent: Bool
    private(set) var state = State.stopped
    private(set) var error: ReplicatorError?
    private(set) var backoff: ReplicatorBackoff

    /// Whether to start again as soon as the stopped or offline state is reached.
    private(set) var resumesWhenStopped = false

    /// Whether the pending restart removes the checkpoints.
    private var resetsOnStart = false

    /// Whether the replicator is offline because it was suspended.
    private var isSuspended = false

    /// Whether the application considers the server reachable.
    private var isReachable = true

    /// - Parameter isPersistent: Whether the replicator retries after any refusal by the server.
    init(isContinuous: Bool, isPersistent: Bool = false, backoff: ReplicatorBackoff) {
        self.isContinuous = isContinuous
        self.isPersistent = isPersistent
        self.backoff = backoff
    }

    /// The activity level that the application sees.
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

    /// Handles a network change, after which the server may be reachable.
    mutating func retry() -> [Effect] {
        guard state == .offline, !isSuspended else { return [] }
        backoff.reset()
        return [.cancelWait] + connect(reset: false)
    }

    /// Sets whether the application considers the server reachable (LiteCore's `setHostReachable`).
    mutating func setReachable(_ isReachable: Bool) -> [Effect] {
        guard isReachable != self.isReachable else { return [] }
        self.isReachable = isReachable
        return isReachable ? retry() : state == .offline ? [.cancelWait] : []
    }

    /// Handles an opened and negotiated connection.
    mutating func connected() {
        guard state == .connecting else { return }
        // If the server accepts the connection but refuses the requests, the waits must still grow.
        if !isPersistent { backoff.recordConnection() }
        error = nil
        state = .busy
    }

    /// Handles a replicated document.
    mutating func replicated() {
        backoff.reset()
    }

    /// Handles a change between activity and idleness.
    mutating func transfers(_ isBusy: Bool) {
        switch state {
        case .idle where isBusy: state = .busy
        case .busy where !isBusy && isContinuous:
            state = .idle
            // The server is reachable and accepts requests, although there was nothing to transfer. A quiet connection that breaks off
            // occasionally is therefore reopened without limit.
            backoff.reset()
        default: break
        }
    }

    /// Handles the end of a connection or of an attempt.
    ///
    /// - Parameter failure: The error; `nil` if all is done or the end was requested.
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

    /// Handles the end of a wait.
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
