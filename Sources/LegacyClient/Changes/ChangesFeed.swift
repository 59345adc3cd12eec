import HTTP
import NIOCore

/// A server's changes feed, read for as long as the replication wants it: once, or without end.
///
/// A one-shot pull reads feed `normal` once. A continuous one then goes on with the best that the server has: a WebSocket, the continuous
/// feed, or long polls; what turns out not to work is not tried again.
struct ChangesFeed {
    enum Event: Sendable {
        case changes([RemoteChange])
        /// There is nothing more for now.
        case caughtUp
        /// It cannot be opened for now. It is tried again.
        case interrupted(ReplicationError)
        /// It could be opened again.
        case resumed
    }

    /// Sees whether the server still is what it was, before the feed is opened anew behind a place; after it has failed in any case.
    typealias Look = @Sendable (_ since: RemoteSequence?, _ hasFailed: Bool) async throws -> Void

    private let remote: RemoteDatabase
    private let look: Look
    private let isContinuous: Bool
    private var since: RemoteSequence?
    private var source: Source?

    /// The feed that is being read, or was last.
    private var reading = ChangesRequest.Feed.normal
    private var hasReadAll = false
    private var pace = PollBackoff()
    private var backoff: ReplicationBackoff
    private var opened: ContinuousClock.Instant = .now
    private var isOpening = false

    /// Whether it could not be opened when it was tried last.
    private var isInterrupted = false

    /// Whether it has failed since it was opened.
    private var hasFailed = false

    /// Whether a proxy lets no WebSocket through, as it seems; seen anew when the feed has failed.
    private var avoidsWebSocket = false

    /// What is to be waited for before it is opened anew.
    private var wait: Duration?

    /// Whether the consumer found something new in what the source brought.
    private var foundNews = false

    private enum Source {
        case http(HTTPChanges, ChangesRequest.Feed)
        case webSocket(WebSocketFeed)
    }

    init(
        remote: RemoteDatabase, since: RemoteSequence?, isContinuous: Bool, look: @escaping Look = { _, _ in }
    ) {
        self.remote = remote
        self.look = look
        backoff = remote.settings.backoff
        self.since = since
        self.isContinuous = isContinuous
    }

    /// Says that the last changes had revisions that were not here.
    mutating func noteNews() {
        foundNews = true
    }

    /// What comes next; `nil` at the end of a feed that has one.
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
                // A feed that breaks off is no news, as long as it can be opened again.
                guard isOpening, wait != nil else { continue }
                isInterrupted = true
                return .interrupted(error)
            }
        }
        return nil
    }

    /// Decides whether the feed is opened anew after it failed.
    private mutating func recover(from error: ReplicationError) throws {
        source = nil
        hasFailed = true
        avoidsWebSocket = false
        if reading == .continuous, error.code == .upstream, error.origin == nil {
            remote.note { $0.refusesContinuous = true }
            return
        }
        // What is unreachable, or not as it was, the replication begins anew with at its login.
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
            if hasReadAll { try await look(since, hasFailed) }
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
                if error.origin == .server { remote.note { $0.refusesWebSocket = true } }
            }
            // A proxy that answers everything itself answers this, too.
            let source = try await openHTTP(.longpoll)
            avoidsWebSocket = true
            return source
        }
        guard features.hasContinuous else { return try await openHTTP(.longpoll) }
        do {
            return try await openHTTP(.continuous)
        } catch let error as ReplicationError where error.isRefusal && error.code != .unauthorized {
            let source = try await openHTTP(.longpoll)
            remote.note { $0.refusesContinuous = true }
            return source
        }
    }

    private func openHTTP(_ feed: ChangesRequest.Feed) async throws -> Source {
        .http(try await HTTPChanges.open(ChangesRequest(feed, since: since, settings: remote.settings), on: remote), feed)
    }
}

/// Keeps a feed from being asked without end by a server that always answers at once, and never with anything new: one whose feed goes
/// back in time, or whose long poll is none.
struct PollBackoff: Sendable, Hashable {
    /// Our own pushes come back as rows that bring nothing; so many in a row do not.
    private static let patience = 8

    private var fruitless = 0
    private var backoff = ReplicationBackoff()

    /// How long to wait before the next request.
    ///
    /// - Parameters:
    ///   - isNew: Whether the last answer brought a revision that was not here.
    ///   - waited: How long the server took to answer. One that waited for changes is not asked too often.
    mutating func delay(isNew: Bool, waited: Duration) -> Duration {
        guard !isNew, waited < .seconds(1) else {
            self = PollBackoff()
            return .zero
        }
        fruitless += 1
        return fruitless > Self.patience ? backoff.delay() : .zero
    }
}
