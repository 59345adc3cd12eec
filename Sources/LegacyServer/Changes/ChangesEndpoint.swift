import Coordination
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import NIOPosix
import Storage

/// `_changes`, by GET and POST.
enum ChangesEndpoint {
    static func changes(_ call: LegacyCall) async throws -> Response {
        let options = try await options(of: call)
        guard options.feed != .websocket else { return try WebSocketChanges.response(to: call) }
        let feed = options.feed == .normal ? nil : try call.openFeed()
        // Subscribe before the feed is read, so that no commit is missed.
        let commits = call.keyspace.follow()
        let writer = try await writer(for: call, options, commits)
        var response = try await response(of: writer, options, commits, call.shutdown)
        response.headers[.cacheControl] = "private, max-age=0, no-cache, no-store"
        return feed.map { $0.attached(to: response) } ?? response
    }

    // Thousands of feeds may resume at once after a write. These parts are not inlined, so that none of them reserves room for all.

    @inline(never)
    private static func options(of call: LegacyCall) async throws -> ChangesOptions {
        let body = call.request.method == .post ? try await call.jsonBody() : nil
        let parameters = try ChangesParameters(query: call.query, body: body)
        let agent = call.request.headers[.userAgent] ?? ""
        var options = try ChangesOptions(
            parameters, isCouchDB: agent.utf8.starts(with: "CouchDB".utf8), isCouchbaseLite: agent.utf8.starts(with: "CouchbaseLite".utf8),
            limits: call.limits, filters: Set(call.keyspace.database.configuration.filters.keys))
        // A browser that reconnects sends the ID of the last event that it has received.
        if options.feed == .eventsource, let last = Self.lastEventID(of: call) { options.since = last }
        return options
    }

    @inline(never)
    private static func writer(
        for call: LegacyCall, _ options: ChangesOptions, _ commits: CommitSubscription
    ) async throws -> ChangesWriter {
        // A tracker of a device that was moved repeats its request, without reading its checkpoint again.
        if let since = options.since { try await InheritedPlace(of: call)?.prepare(since) }
        let since = try await SequencePosition.find(options.since, in: call.keyspace)
        let following = options.feed == .normal ? nil : commits
        return try await ChangesWriter(
            keyspace: call.keyspace, options: options, since: since, following: following, limits: call.limits)
    }

    @inline(never)
    private static func response(
        of writer: ChangesWriter, _ options: ChangesOptions, _ commits: CommitSubscription, _ shutdown: StopSignal
    ) async throws -> Response {
        let clock = FeedClock(heartbeat: options.heartbeat, timeout: options.timeout, shutdown: shutdown)
        return switch options.feed {
        case .longpoll: try await LongpollFeed(writer: writer, clock: clock, commits: commits).response()
        case .continuous: ContinuousFeed(form: .lines, writer: writer, clock: clock, commits: commits).response()
        case .eventsource: ContinuousFeed(form: .events, writer: writer, clock: clock, commits: commits).response()
        case .normal, .websocket: try await NormalFeed(writer: writer).response()
        }
    }

    private static func lastEventID(of call: LegacyCall) -> String? {
        call.query["last-event-id"] ?? HTTPField.Name("Last-Event-ID").flatMap { call.request.headers[$0] }
    }
}

/// Runs a feed that waits for commits, with its heartbeat and timeout.
struct FeedClock: Sendable {
    let heartbeat: TimeAmount?
    let timeout: TimeAmount?
    let shutdown: StopSignal

    /// Runs `feed`, and raises its timer and shutdown events until it returns.
    ///
    /// - Parameter commits: A subscription from before the first read of the feed, so that no commit is missed.
    func run(following commits: CommitSubscription, _ feed: (FeedWaiter) async throws -> Void) async throws {
        let alarm = FeedWaiter(following: commits)
        let timers = timers(for: alarm)
        defer { for timer in timers { timer.cancel() } }
        try await shutdown.during {
            try await feed(alarm)
        } onRaise: {
            alarm.raise(.end)
        }
    }

    /// The timers of an event loop. A sleeping task would take some kilobytes per feed.
    private func timers(for alarm: FeedWaiter) -> [RepeatedTask] {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        return [(heartbeat, FeedWaiter.Events.heartbeat), (timeout, .timeout)].compactMap { time, event in
            time.map { eventLoop.scheduleRepeatedTask(initialDelay: $0, delay: $0) { _ in alarm.raise(event) } }
        }
    }
}
