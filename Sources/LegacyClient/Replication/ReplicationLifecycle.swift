/// The life of a replication: when it runs, waits and stops. Pure: what is to be done comes back as effects.
///
/// Couchbase Lite 1.4's rules: an error that does not pass stops the replication; any other one makes a continuous replication wait and
/// begin anew with its checkpoint; a one-shot replication has tried each request several times already, and stops. Where somebody has said how many
/// attempts there are, both kinds begin anew until these are used up. Where a replication is to go on after refusals, nothing that the server or a proxy
/// says stops it.
struct ReplicationLifecycle: Sendable, Hashable {
    enum Effect: Hashable, Sendable {
        /// Begin a run, at the login.
        case run
        /// End the run: what is under way is finished, unless that takes long, what has arrived is kept, and the checkpoint saved.
        case cancel
        case wait(Duration)
        case cancelWait
    }

    private enum State: Hashable, Sendable {
        case stopped
        case running
        case waiting
        /// The run is ending; `true` if another is to follow.
        case stopping(restarts: Bool)
    }

    private(set) var isContinuous: Bool
    private(set) var status = ReplicationStatus.stopped
    private(set) var lastError: ReplicationError?

    /// The error that has stopped it.
    private(set) var failure: ReplicationError?

    /// Whether the run goes on without the server's feed.
    private var hasNoFeed = false
    private var state = State.stopped
    /// The waits for a server that cannot be reached.
    private var backoff: ReplicationBackoff

    /// The waits after other errors, until it has caught up.
    private var refusalBackoff: ReplicationBackoff
    private var attempts: ReplicationAttempts

    /// Attempts that have failed since something was replicated.
    private var failures = 0

    /// Whether an error keeps it from replicating at the moment; it tries again by itself.
    var isInterrupted: Bool { state == .waiting || hasNoFeed }

    init(isContinuous: Bool = false, attempts: ReplicationAttempts = ReplicationAttempts()) {
        self.isContinuous = isContinuous
        self.attempts = attempts
        backoff = ReplicationBackoff(longestWait: attempts.longestPersistentWait)
        refusalBackoff = ReplicationBackoff(longestWait: attempts.longestWait == 0 ? 60 : attempts.longestWait)
    }

    /// - Parameters:
    ///   - isContinuous: As the settings are now; they count from here on.
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

    /// Stops, and starts again when that has come to its end.
    mutating func restart(isContinuous: Bool, attempts: ReplicationAttempts = ReplicationAttempts()) -> [Effect] {
        stop() + start(isContinuous: isContinuous, attempts: attempts)
    }

    /// Says that the network has changed: who waits tries at once.
    mutating func retry() -> [Effect] {
        guard state == .waiting else { return [] }
        backoff.reset()
        refusalBackoff.reset()
        failures = 0
        return [.cancelWait] + waited()
    }

    /// The wait is over.
    mutating func waited() -> [Effect] {
        guard state == .waiting else { return [] }
        state = .running
        status = .active
        return [.run]
    }

    /// The run has caught up, or has found something to do.
    mutating func transfers(_ isActive: Bool) {
        guard state == .running else { return }
        status = isActive || !isContinuous ? .active : .idle
        if status == .idle { refusalBackoff.reset() }
    }

    /// The server has answered.
    mutating func connected() {
        backoff.reset()
    }

    /// Documents were transferred: all attempts are there again.
    mutating func progressed() {
        failures = 0
    }

    /// Something went wrong that does not end the run.
    mutating func met(_ error: ReplicationError) {
        lastError = error
    }

    /// The server's feed cannot be read for now.
    mutating func interrupted(_ error: ReplicationError) {
        guard state == .running else { return }
        lastError = error
        hasNoFeed = true
    }

    /// The feed is read again.
    mutating func resumed() {
        hasNoFeed = false
    }

    /// The run has ended.
    ///
    /// - Parameter error: Why; `nil` if all is done, or if it was cancelled.
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
        // Couchbase Lite calls it idle when the server has failed. A one-shot replication is never idle: who waits for that would take it for done.
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

/// How often a replication tries, where somebody has said it; else Couchbase Lite 1.x's rules hold.
struct ReplicationAttempts: Sendable, Hashable {
    /// How many attempts there are in all, the first included, until something is replicated; 0 for Couchbase Lite's rules.
    var maximum = 0

    /// The most seconds between two attempts; 0 for ten minutes.
    var longestWait = 0

    /// Whether a continuous replication goes on trying whatever the server refuses.
    var goesOnAfterRefusals = false

    /// The most seconds between two attempts of somebody who is to be back soon after the server is; 0 for ten minutes.
    var longestPersistentWait: Int { longestWait == 0 && goesOnAfterRefusals ? 60 : longestWait }

    /// Whether the attempts are counted, and then those of whole runs: a single request is not sent again.
    var isCounted: Bool { maximum > 0 }

    /// The waits between the attempts at a request of somebody who has no runs that could be repeated.
    var requestDelays: [Duration] {
        guard isCounted else { return ReplicationBackoff.requestDelays }
        var backoff = ReplicationBackoff(longestWait: longestWait)
        return (1..<max(1, min(maximum, 1_000))).map { _ in backoff.delay() }
    }
}

/// How long Couchbase Lite 1.4 for iOS waits before it tries again (docs/protocol/legacy-1x.md#retries-of-couchbase-lite).
struct ReplicationBackoff: Sendable, Hashable {
    /// A single request that failed transiently is sent two more times, after these waits.
    static let requestDelays: [Duration] = [.seconds(4), .seconds(8)]

    /// How long a continuous replication that met an error is idle before it begins anew.
    static let retryDelay = Duration.seconds(60)

    private let longest: Int
    private var next: Int

    /// - Parameter longestWait: In seconds; 0 for ten minutes.
    init(longestWait: Int = 0) {
        longest = longestWait > 0 ? longestWait : 600
        next = min(2, longest)
    }

    /// The wait before the feed is opened again, or the server tried again: 2 s, doubling up to the longest.
    mutating func delay() -> Duration {
        defer { next = next > longest / 2 ? longest : next * 2 }
        return .seconds(next)
    }

    /// Something worked: the next wait is the shortest again.
    mutating func reset() {
        next = min(2, longest)
    }
}
