import HTTP
import NIOCore

/// A server's changes feed, read once or continuously.
///
/// A one-shot pull reads feed `normal` once. A continuous pull then uses the best feed that the server supports: a WebSocket, the continuous
/// feed, or long polls. A feed that the server has refused is not tried again.
struct RemoteChangesFeed {
    enum Event: Sendable {
        case changes([RemoteRow])
        /// The feed has no more rows at the moment.
        case caughtUp
        /// The feed cannot be opened at the moment; opening is retried.
        case interrupted(ReplicationError)
        /// The feed is open again after an interruption.
        case resumed
    }

    /// Checks that the server is still the same and was not restored, before the feed is reopened at `since`. `hasFailed` forces the check.
    typealias ServerCheck = @Sendable (_ since: OpaqueSequence?, _ hasFailed: Bool) async throws -> Void

    private let remote: RemoteDatabase
    private let checkServer: ServerCheck
    private let isContinuous: Bool
    private var since: OpaqueSequence?
    private var source: Source?

    /// The feed that is being read, or was read last.
    private var reading = ChangesRequest.Feed.normal
    private var hasReadAll = false
    private var pace = PollBackoff()
    private var backoff: ReplicationBackoff
    private var opened: ContinuousClock.Instant = .now
    private var isOpening = false

    /// Whether the last attempt to open the feed failed.
    private var isInterrupted = false

    /// Whether the feed has failed since it was last opened.
    private var hasFailed = false

    /// Whether a proxy appears to block WebSockets. Tested again after the feed has failed.
    private var avoidsWebSocket = false

    /// The delay before the feed is opened again.
    private var wait: Duration?

    /// Whether the rows since the feed was opened named revisions that are missing here.
    private var foundNews = false

    private enum Source {
        case http(HTTPChanges, ChangesRequest.Feed)
        case webSocket(WebSocketFeed)
    }

    init(
        remote: RemoteDatabase, since: OpaqueSequence?, isContinuous: Bool, checkServer: @escaping ServerCheck = { _, _ in }
    ) {
        self.remote = remote
        self.checkServer = checkServer
        backoff = remote.settings.backoff
        self.since = since
        self.isContinuous = isContinuous
    }

    /// Records that the last rows named revisions that are missing here.
    mutating func recordNews() {
        foundNews = true
    }

    /// The next event; `nil` at the end of a one-shot feed.
    ///
    /// - Throws: ``ReplicationError``; `CancellationError`.
    mutating func next() async throws -> Event? {
        while isContinuous || !hasReadAll {
            if let wait {
                self.wait = nil
                try await remote.clock.sleep(for: wait)
            }
            do {
                if let event = try await read() {
                    if case .changes(let changes) = event, let last = changes.last { since = last.sequence }
                    return event
                }
                source = nil
                backoff.reset()
                if !hasReadAll {
                    hasReadAll = true
                    return .caughtUp
                }
                try await remote.clock.sleep(for: pace.delay(isNew: foundNews, waited: ContinuousClock.now - opened))
            } catch let error as ReplicationError {
                try recover(from: error)
                // Do not report a feed that breaks off as long as it can be reopened.
                guard isOpening, wait != nil else { continue }
                isInterrupted = true
                return .interrupted(error)
            }
        }
        return nil
    }

    /// Decides whether the feed is reopened after it failed.
    private mutating func recover(from error: ReplicationError) throws {
        source = nil
        hasFailed = true
        avoidsWebSocket = false
        if reading == .continuous, error.code == .upstream, error.origin == nil {
            remote.record { $0.refusesContinuous = true }
            return
        }
        // An unreachable or restored server requires a new run, which begins with the login.
        guard isContinuous, hasReadAll, error.remedy == .tryAgain, !error.isOffline, error.code != .serverRestored,
            error.code != .upstream || error.origin == .intermediary
        else { throw error }
        wait = backoff.delay()
    }

    private mutating func read() async throws -> Event? {
        switch source {
        case nil:
            opened = .now
            foundNews = false
            isOpening = true
            if hasReadAll { try await checkServer(since, hasFailed) }
            source = try await open()
            isOpening = false
            hasFailed = false
            guard isInterrupted else { return try await read() }
            isInterrupted = false
            return .resumed
        case .http(var changes, let feed):
            source = nil
            reading = feed
            let rows = try await changes.next()
            source = .http(changes, feed)
            guard let rows else { return nil }
            if feed == .continuous { backoff.reset() }
            return .changes(rows)
        case .webSocket(let feed):
            let event = try await feed.next()
            if event != nil { backoff.reset() }
            return event
        }
    }

    private mutating func open() async throws -> Source {
        let features = remote.features
        guard hasReadAll else { return try await openHTTP(.normal) }
        if remote.settings.allowsWebSocket, features.hasWebSocket, !avoidsWebSocket {
            do {
                return .webSocket(try await WebSocketFeed.open(since: since, on: remote))
            } catch let error as ReplicationError where error.code != .unauthorized && !error.isOffline {
                if error.origin == .server { remote.record { $0.refusesWebSocket = true } }
            }
            // A proxy that answers every request itself also fails this request, so the flag is set only after it succeeds.
            let source = try await openHTTP(.longpoll)
            avoidsWebSocket = true
            return source
        }
        guard features.hasContinuous else { return try await openHTTP(.longpoll) }
        do {
            return try await openHTTP(.continuous)
        } catch let error as ReplicationError where error.isRefusal && error.code != .unauthorized {
            let source = try await openHTTP(.longpoll)
            remote.record { $0.refusesContinuous = true }
            return source
        }
    }

    private func openHTTP(_ feed: ChangesRequest.Feed) async throws -> Source {
        .http(try await HTTPChanges.open(ChangesRequest(feed, since: since, settings: remote.settings), on: remote), feed)
    }
}

/// Limits the rate of requests to a server that always answers at once without new revisions: its feed goes back in time, or its long poll does
/// not wait.
struct PollBackoff: Sendable, Hashable {
    /// The number of consecutive fruitless answers without a delay. Rows of our own pushes are fruitless too, but not that many in a row.
    private static let tolerance = 8

    private var fruitless = 0
    private var backoff = ReplicationBackoff()

    /// The delay before the next request.
    ///
    /// - Parameters:
    ///   - isNew: Whether the last answer named a revision that is missing here.
    ///   - waited: How long the last request took. A server that took at least 1 s is not delayed.
    mutating func delay(isNew: Bool, waited: Duration) -> Duration {
        guard !isNew, waited < .seconds(1) else {
            self = PollBackoff()
            return .zero
        }
        fruitless += 1
        return fruitless > Self.tolerance ? backoff.delay() : .zero
    }
}
