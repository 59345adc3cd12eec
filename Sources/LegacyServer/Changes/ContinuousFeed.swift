import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `feed=continuous`: a row per line, for as long as the client is connected. Used by CouchDB's replicator. `feed=eventsource`: the same as
/// events, for browsers.
///
/// Blank lines are heartbeats; one is also sent each time the feed has caught up. A continuous feed ends with its last sequence, for which
/// CouchDB waits. Browsers get the sequence from their last event, and reconnect by themselves.
struct ContinuousFeed: Sendable {
    /// The format of the feed.
    enum Form: Sendable {
        case lines
        case events
    }

    let form: Form
    let writer: ChangesWriter
    let clock: FeedClock
    let commits: CommitSubscription

    func response() -> Response {
        .stream(type: form.contentType) { body in
            try await writer.keyspace.database.activity.during(.continuous) { try await follow(&body) }
            try await body.finish(nil)
        }
    }

    private func follow(_ body: inout any ResponseBodyWriter) async throws {
        try await clock.run(following: commits) { alarm in
            while true {
                try await catchUp(&body, alarm)
                guard !writer.cursor.isExhausted, !alarm.hasEnded else { break }
                guard try await sleep(alarm, &body) else { break }
            }
            try await end(&body)
        }
    }

    // Not inlined: the frame of `follow` stays allocated while the feed is idle.
    @inline(never)
    private func end(_ body: inout any ResponseBodyWriter) async throws {
        guard form == .lines else { return }
        let pending = try await writer.cursor.pending(in: writer.keyspace)
        try await body.write(ByteBuffer(bytes: ChangesEncoder.continuousClosing(writer.position, pending: pending)))
    }

    @inline(never)
    private func catchUp(_ body: inout any ResponseBodyWriter, _ alarm: FeedWaiter) async throws {
        repeat {
            var piece = try await writer.nextPiece(form.layout)
            if writer.isAtEnd { piece.append { $0 += form.caughtUp.utf8 } }
            try await writer.write(piece, to: &body)
        } while !writer.isAtEnd && !alarm.hasEnded
    }

    /// Waits for the next commit; returns false if the feed has to end.
    @inline(never)
    private func sleep(_ alarm: FeedWaiter, _ body: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let events = try await alarm.next()
            if events.contains(.commit) { return true }
            guard events.isDisjoint(with: [.timeout, .end]) else { return false }
            try await body.write(ByteBuffer(string: form.heartbeat))
        }
    }
}

extension ContinuousFeed.Form {
    /// Sync Gateway's content type for lines, which is neither compressed nor buffered.
    fileprivate var contentType: String {
        switch self {
        case .lines: "application/octet-stream"
        case .events: "text/event-stream"
        }
    }

    fileprivate var layout: ChangesLayout {
        switch self {
        case .lines: .lines
        case .events: .events
        }
    }

    fileprivate var caughtUp: String {
        switch self {
        case .lines: "\n"
        // A comment, which event readers skip.
        case .events: ":\n\n"
        }
    }

    /// Events use CouchDB's heartbeat event, for which clients may listen.
    fileprivate var heartbeat: String {
        switch self {
        case .lines: "\n"
        case .events: "event: heartbeat\ndata: \n\n"
        }
    }
}
