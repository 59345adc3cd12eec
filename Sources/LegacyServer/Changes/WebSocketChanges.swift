import Compression
import Coordination
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `feed=websocket`: the feed for continuous pulls of Couchbase Lite for iOS and .NET.
///
/// The client's first message, text or binary, contains the options. The server then sends arrays of rows. `[]` is sent once, when the feed has
/// first caught up; an empty message is a heartbeat.
struct WebSocketChanges: Sendable {
    let keyspace: Keyspace
    let query: Query
    let limits: LegacyLimits
    let shutdown: StopSignal
    private let place: InheritedPlace?

    /// Counts the open feed while the socket is served.
    private let feed: OpenFeed?

    init(
        keyspace: Keyspace, query: Query, limits: LegacyLimits, shutdown: StopSignal, place: InheritedPlace? = nil, feed: OpenFeed? = nil
    ) {
        self.keyspace = keyspace
        self.query = query
        self.limits = limits
        self.shutdown = shutdown
        self.place = place
        self.feed = feed
    }

    static func response(to call: LegacyCall) throws -> Response {
        guard call.request.wantsWebSocket else { throw LegacyError(.badRequest, "not websocket protocol") }
        let feed = WebSocketChanges(
            keyspace: call.keyspace, query: call.query, limits: call.limits, shutdown: call.shutdown,
            place: InheritedPlace(of: call), feed: try call.openFeed())
        var socketLimits = WebSocketLimits()
        socketLimits.messageSize = call.limits.webSocketOptionsSize
        let activity = call.keyspace.database.activity
        return .webSocket(limits: socketLimits) { socket in try await activity.during(.webSocket) { try await feed.run(socket) } }
    }

    /// Serves a socket until its client disconnects or the server stops.
    func run(_ socket: any WebSocketConnection) async throws {
        guard let message = try await socket.receive()?.first else { return }
        let options: ChangesOptions
        do {
            options = try ChangesOptions(
                ChangesParameters(query: query, body: message.bytes), isCouchbaseLite: true, limits: limits,
                filters: Set(keyspace.database.configuration.filters.keys))
        } catch let error as LegacyError {
            return await socket.close(code: .unexpectedCondition, reason: String(error.reason.prefix(100)))
        }
        let commits = keyspace.follow()
        // .NET reads at most 128 KiB per message.
        var small = limits
        small.changesBatch = min(limits.changesBatch, limits.webSocketRows)
        let writer: ChangesWriter
        do {
            if let since = options.since { try await place?.prepare(since) }
            let since = try await SequencePosition.find(options.since, in: keyspace)
            writer = try await ChangesWriter(
                keyspace: keyspace, options: options, since: since, following: commits, limits: small,
                encoder: ChangesEncoder(escapesBrackets: true))
        } catch let error as LegacyError {
            return await socket.close(code: .unexpectedCondition, reason: String(error.reason.prefix(100)))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follow(writer, commits, options, socket) }
            // The client sends no further messages; receiving detects the end of the connection.
            group.addTask { while try await socket.receive() != nil {} }
            try await group.next()
            group.cancelAll()
        }
    }

    private func follow(
        _ writer: ChangesWriter, _ commits: CommitSubscription, _ options: ChangesOptions, _ socket: any WebSocketConnection
    ) async throws {
        let heartbeat = options.heartbeat ?? limits.webSocketHeartbeat
        let clock = FeedClock(heartbeat: heartbeat, timeout: nil, shutdown: shutdown)
        try await clock.run(following: commits) { alarm in
            let messages = try WebSocketChangesWriter(compresses: options.wantsGzip)
            var hasSentCaughtUp = false
            while true {
                repeat {
                    let rows = try await writer.nextPiece(.array)
                    if !rows.isEmpty { try await socket.send(messages.message(of: rows.bytesAtHand)) }
                } while !writer.isAtEnd && !alarm.hasEnded
                guard !writer.cursor.isExhausted, !alarm.hasEnded else { return }
                try await socket.send(hasSentCaughtUp ? WebSocketChangesWriter.heartbeat : WebSocketChangesWriter.caughtUp)
                hasSentCaughtUp = true
                guard try await sleep(alarm, socket) else { return }
            }
        }
    }

    /// Waits for the next commit; returns false if the feed has to end.
    private func sleep(_ alarm: FeedWaiter, _ socket: any WebSocketConnection) async throws -> Bool {
        while true {
            let events = try await alarm.next()
            if events.contains(.commit) { return true }
            guard !events.contains(.end) else { return false }
            try await socket.send(WebSocketChangesWriter.heartbeat)
        }
    }
}

/// Makes messages of arrays of rows: text, or one gzip stream in binary messages for clients that request it.
///
/// The mode is the same for the whole connection, because .NET derives it from the first message.
struct WebSocketChangesWriter {
    private let deflater: Deflater?

    /// - Throws: `CompressionError` if memory cannot be allocated.
    init(compresses: Bool) throws {
        deflater = compresses ? try Deflater() : nil
    }

    func message(of rows: [UInt8]) -> WebSocketMessage {
        guard let deflater else { return WebSocketMessage(.text, bytes: rows) }
        return WebSocketMessage(.binary, bytes: deflater.write(rows, flush: .sync))
    }

    /// Sent when the feed has first caught up. Always text, the only form that .NET recognises.
    static let caughtUp = WebSocketMessage.text("[]")

    /// Keeps an idle connection alive.
    static let heartbeat = WebSocketMessage.text("")
}
