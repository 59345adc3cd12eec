import NIOCore

/// Where a connection stands, as far as its time limits and its end depend on it. Pure: told what happens, asked what is due.
struct ConnectionState: Sendable {
    struct Limits: Sendable {
        var head: TimeAmount
        var body: TimeAmount
        var keepAlive: TimeAmount
    }

    enum Expiry: Equatable {
        /// Nothing was asked: close without a word.
        case close
        /// A request came too slowly: answer 408, then close.
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
    /// Whether the connection ends with the present request.
    private(set) var isClosing = false

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        since = now
    }

    /// Whether a request is being served.
    var isServing: Bool { requestsInProgress > 0 }

    /// Whether the head of a request has begun to arrive and has not ended.
    var isReadingHead: Bool { reading == .head }

    mutating func bytesArrived(now: NIODeadline) {
        switch reading {
        case .nothing:
            reading = .head
            // The first head's time runs from the connection's start.
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

    /// Notes that the route does not take what arrives, so that the client cannot be blamed for being slow.
    mutating func wasHeldBack(now: NIODeadline) {
        if reading == .body { since = now }
    }

    /// Notes that nothing more will be read.
    mutating func failed() {
        hasFailed = true
    }

    /// Notes the end of an answer; returns whether the connection stays.
    mutating func responseEnded(now: NIODeadline) -> Bool {
        requestsInProgress -= 1
        if reading == .nothing { since = now }
        return !isClosing
    }

    /// Notes that the server stops; returns whether the connection can be closed at once.
    mutating func quiesce() -> Bool {
        isClosing = true
        return !isServing && reading == .nothing
    }

    /// What is due at a time.
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
