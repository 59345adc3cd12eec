/// The state machine of a replication: when it runs, waits and stops. It has no side effects; it returns the actions as ``Effect``s.
///
/// The rules are Couchbase Lite 1.4's:
/// - A permanent error stops the replication.
/// - After any other error, a continuous replication waits and begins a new run with its checkpoint.
/// - A one-shot replication has already retried each request, and stops.
///
/// The settings change these rules:
/// - With a number of attempts, both kinds begin new runs until the attempts are used up.
/// - With ``ReplicationAttempts/goesOnAfterRefusals``, no error of the server or of a proxy stops a continuous replication.
struct ReplicationLifecycle: Sendable, Hashable {
    enum Effect: Hashable, Sendable {
        /// Begin a run, starting with the login.
        case run
        /// End the run: transfers in progress are finished within a time limit, received documents are stored, and the checkpoint is saved.
        case cancel
        case wait(Duration)
        case cancelWait
    }

    private enum State: Hashable, Sendable {
        case stopped
        case running
        case waiting
        /// The run is ending; `true` if another run follows.
        case stopping(restarts: Bool)
    }

    private(set) var isContinuous: Bool
    private(set) var status = ReplicationStatus.stopped
    private(set) var lastError: ReplicationError?

    /// The error that has stopped the replication.
    private(set) var failure: ReplicationError?

    /// Whether the run continues without the server's feed.
    private var hasNoFeed = false
    private var state = State.stopped
    /// The delays while the server cannot be reached.
    private var backoff: ReplicationBackoff

    /// The delays after other errors; reset when the replication has caught up.
    private var refusalBackoff: ReplicationBackoff
    private var attempts: ReplicationAttempts

    /// The number of failed attempts since a document was last replicated.
    private var failures = 0

    /// Whether an error prevents replication at the moment; the replication will retry.
    var isInterrupted: Bool { state == .waiting || hasNoFeed }

    init(isContinuous: Bool = false, attempts: ReplicationAttempts = ReplicationAttempts()) {
        self.isContinuous = isContinuous
        self.attempts = attempts
        backoff = ReplicationBackoff(longestWait: attempts.longestPersistentWait)
        refusalBackoff = ReplicationBackoff(longestWait: attempts.longestWait == 0 ? 60 : attempts.longestWait)
    }

    /// - Parameters:
    ///   - isContinuous: The current setting; it takes effect now.
    ///   - attempts: Likewise.
    mutating func start(isContinuous: Bool, attempts: ReplicationAttempts = ReplicationAttempts()) -> [Effect] {
        switch state {
        case .stopped:
            self = ReplicationLifecycle(isContinuous: isContinuous, attempts: attempts)
            state = .running
            status = .active
            return [.run]
        case .stopping:
            self.isContinuous = isContinuous
            self.attempts = attempts
            state = .stopping(restarts: true)
            return []
        case .running, .waiting: return []
        }
    }

    mutating func stop() -> [Effect] {
        switch state {
        case .stopped: return []
        case .stopping:
            state = .stopping(restarts: false)
            return []
        case .running:
            state = .stopping(restarts: false)
            return [.cancel]
        case .waiting:
            state = .stopped
            status = .stopped
            return [.cancelWait]
        }
    }

    /// Stops the replication and starts it again when it has stopped.
    mutating func restart(isContinuous: Bool, attempts: ReplicationAttempts = ReplicationAttempts()) -> [Effect] {
        stop() + start(isContinuous: isContinuous, attempts: attempts)
    }

    /// Ends the current wait, because the network has changed.
    mutating func retry() -> [Effect] {
        guard state == .waiting else { return [] }
        backoff.reset()
        refusalBackoff.reset()
        failures = 0
        return [.cancelWait] + waited()
    }

    /// Begins a run after a wait.
    mutating func waited() -> [Effect] {
        guard state == .waiting else { return [] }
        state = .running
        status = .active
        return [.run]
    }

    /// Called when the run has caught up, or has found changes to transfer.
    mutating func transfers(_ isActive: Bool) {
        guard state == .running else { return }
        status = isActive || !isContinuous ? .active : .idle
        if status == .idle { refusalBackoff.reset() }
    }

    /// Called when the server has answered.
    mutating func connected() {
        backoff.reset()
    }

    /// Called when documents were transferred; resets the number of failed attempts.
    mutating func progressed() {
        failures = 0
    }

    /// Records an error that does not end the run.
    mutating func met(_ error: ReplicationError) {
        lastError = error
    }

    /// Called when the server's feed cannot be read for now.
    mutating func interrupted(_ error: ReplicationError) {
        guard state == .running else { return }
        lastError = error
        hasNoFeed = true
    }

    /// Called when the feed is read again.
    mutating func resumed() {
        hasNoFeed = false
    }

    /// Called when the run has ended.
    ///
    /// - Parameter error: The cause; `nil` if the run has finished or was cancelled.
    mutating func ended(_ error: ReplicationError?) -> [Effect] {
        hasNoFeed = false
        if case .stopping(let restarts) = state {
            let (isContinuous, attempts) = (isContinuous, attempts)
            state = .stopped
            status = .stopped
            return restarts ? start(isContinuous: isContinuous, attempts: attempts) : []
        }
        if let error { lastError = error }
        failures += 1
        guard let error, shouldRetry(after: error) else {
            failure = error
            state = .stopped
            status = .stopped
            return []
        }
        state = .waiting
        let isOffline = error.isOffline || error.code == .connectionLost
        // Couchbase Lite reports idle when the server has failed. A one-shot replication is never reported as idle: a caller that waits for idle
        // would take it for finished.
        let isIdle = !isOffline && isContinuous && !attempts.goesOnAfterRefusals && error.origin != .intermediary
        status = isIdle ? .idle : .offline
        if isOffline || attempts.isCounted { return [.wait(backoff.delay())] }
        let isSoonOver = attempts.goesOnAfterRefusals || error.origin == .intermediary || error.code == .serverRestored
        return [.wait(isSoonOver ? refusalBackoff.delay() : ReplicationBackoff.retryDelay)]
    }

    private func shouldRetry(after error: ReplicationError) -> Bool {
        if attempts.isCounted { return failures < attempts.maximum && error.remedy == .tryAgain }
        guard isContinuous, !error.isOfSettings else { return false }
        return attempts.goesOnAfterRefusals || error.remedy == .tryAgain
    }
}

/// The configured attempts of a replication; Couchbase Lite 1.x's rules apply if there are none.
struct ReplicationAttempts: Sendable, Hashable {
    /// The maximum number of attempts until something is replicated, including the first; 0 for Couchbase Lite's rules.
    var maximum = 0

    /// The maximum delay between two attempts in seconds; 0 for ten minutes.
    var longestWait = 0

    /// Whether a continuous replication continues after any refusal of the server.
    var goesOnAfterRefusals = false

    /// The maximum delay for a replication that should resume soon after the server recovers, in seconds; 0 for ten minutes.
    var longestPersistentWait: Int { longestWait == 0 && goesOnAfterRefusals ? 60 : longestWait }

    /// Whether attempts are counted. The attempts are then whole runs: single requests are not retried.
    var isCounted: Bool { maximum > 0 }

    /// The delays between the attempts of a request for callers that have no runs to repeat.
    var requestDelays: [Duration] {
        guard isCounted else { return ReplicationBackoff.requestDelays }
        var backoff = ReplicationBackoff(longestWait: longestWait)
        return (1..<max(1, min(maximum, 1_000))).map { _ in backoff.delay() }
    }
}

/// The delays of Couchbase Lite 1.4 for iOS before it tries again (docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
struct ReplicationBackoff: Sendable, Hashable {
    /// The delays of the two retries of a request that failed transiently.
    static let requestDelays: [Duration] = [.seconds(4), .seconds(8)]

    /// How long a continuous replication is idle after an error before it begins a new run.
    static let retryDelay = Duration.seconds(60)

    private let longest: Int
    private var next: Int

    /// - Parameter longestWait: In seconds; 0 for ten minutes.
    init(longestWait: Int = 0) {
        longest = longestWait > 0 ? longestWait : 600
        next = min(2, longest)
    }

    /// The delay before the feed is opened again or the server is tried again: 2 s, doubled up to the maximum.
    mutating func delay() -> Duration {
        defer { next = next > longest / 2 ? longest : next * 2 }
        return .seconds(next)
    }

    /// Resets the next delay to the shortest, after a success.
    mutating func reset() {
        next = min(2, longest)
    }
}
