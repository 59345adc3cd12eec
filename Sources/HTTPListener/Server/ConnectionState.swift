import NIOCore

/// The state of a connection that determines its timeouts and its end. Without side effects: callers report events and query the expiry.
struct ConnectionState: Sendable {
    struct Limits: Sendable {
        var head: TimeAmount
        var body: TimeAmount
        var keepAlive: TimeAmount
    }

    enum Expiry: Equatable {
        /// No request was pending: close without a response.
        case close
        /// A request arrived too slowly: respond with 408, then close.
        case timeout(String)
    }

    private enum Reading {
        case nothing, head, body
    }

    private let limits: Limits
    private var reading = Reading.nothing
    private var since: NIODeadline
    private var isFresh = true
    private var requestsInProgress = 0
    private var hasFailed = false
    /// Whether the connection ends with the current request.
    private(set) var isClosing = false

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        since = now
    }

    /// Whether a request is being served.
    var isServing: Bool { requestsInProgress > 0 }

    /// Whether the head of a request has partly arrived.
    var isReadingHead: Bool { reading == .head }

    mutating func bytesArrived(now: NIODeadline) {
        switch reading {
        case .nothing:
            reading = .head
            // The timeout of the first head starts with the connection.
            if !isFresh || isServing { since = now }
            isFresh = false
        case .head: break
        case .body: since = now
        }
    }

    mutating func headArrived(now: NIODeadline) {
        requestsInProgress += 1
        reading = .body
        since = now
    }

    mutating func requestArrived(now: NIODeadline) {
        reading = .nothing
        since = now
    }

    /// Restarts the body timeout while the route does not read, because the client is not responsible for the delay.
    mutating func readingPaused(now: NIODeadline) {
        if reading == .body { since = now }
    }

    /// Records a failure: nothing more is read.
    mutating func failed() {
        hasFailed = true
    }

    /// Records the end of a response; returns whether the connection stays open.
    mutating func responseEnded(now: NIODeadline) -> Bool {
        requestsInProgress -= 1
        if reading == .nothing { since = now }
        return !isClosing
    }

    /// Records that the server is stopping; returns whether the connection can be closed immediately.
    mutating func quiesce() -> Bool {
        isClosing = true
        return !isServing && reading == .nothing
    }

    /// The timeout that has expired at the given time, if any.
    func expiry(now: NIODeadline) -> Expiry? {
        guard !hasFailed else { return nil }
        let elapsed = now - since
        switch reading {
        case .nothing:
            return !isServing && elapsed >= (isFresh ? limits.head : limits.keepAlive) ? .close : nil
        case .head:
            return elapsed >= limits.head ? .timeout("The request's head did not arrive in time.") : nil
        case .body:
            return elapsed >= limits.body ? .timeout("The request's body did not arrive in time.") : nil
        }
    }
}
