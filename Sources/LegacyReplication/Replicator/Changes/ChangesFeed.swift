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
    }

    private let remote: RemoteDatabase
    private let isContinuous: Bool
    private var since: RemoteSequence?
    private var source: Source?

    /// The feed that is being read, or was last.
    private var reading = ChangesRequest.Feed.normal
    private var hasReadAll = false
    private var pace = FeedPace()
    private var backoff = ReplicationBackoff()
    private var opened: ContinuousClock.Instant = .now

    /// Whether the consumer found something new in what the source brought.
    private var foundNews = false

    private enum Source {
        case http(HTTPChanges, ChangesRequest.Feed)
        case webSocket(WebSocketFeed)
    }

    init(remote: RemoteDatabase, since: RemoteSequence?, isContinuous: Bool) {
        self.remote = remote
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
                try await recover(from: error)
            }
        }
        return nil
    }

    /// Decides whether the feed is opened anew after it failed.
    private mutating func recover(from error: ReplicationError) async throws {
        source = nil
        if reading == .continuous, error.code == .upstream {
            remote.note { $0.refusesContinuous = true }
            return
        }
        guard isContinuous, hasReadAll, !error.isPermanent, !error.isOffline, error.code != .upstream, error.code != .tooLarge else {
            throw error
        }
        try await remote.clock.sleep(for: backoff.delay())
    }

    private mutating func read() async throws -> Event? {
        switch source {
        case nil:
            opened = .now
            foundNews = false
            source = try await open()
            return try await read()
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

    private func open() async throws -> Source {
        let features = remote.features
        guard hasReadAll else { return try await openHTTP(.normal) }
        if remote.settings.allowsWebSocket, features.hasWebSocket {
            do {
                return .webSocket(try await WebSocketFeed.open(since: since, on: remote))
            } catch let error as ReplicationError where error.code != .unauthorized && !error.isOffline {
                remote.note { $0.refusesWebSocket = true }
            }
        }
        guard features.hasContinuous else { return try await openHTTP(.longpoll) }
        do {
            return try await openHTTP(.continuous)
        } catch let error as ReplicationError where error.isPermanent && error.code != .unauthorized {
            remote.note { $0.refusesContinuous = true }
            return try await openHTTP(.longpoll)
        }
    }

    private func openHTTP(_ feed: ChangesRequest.Feed) async throws -> Source {
        .http(try await HTTPChanges.open(ChangesRequest(feed, since: since, settings: remote.settings), on: remote), feed)
    }
}
