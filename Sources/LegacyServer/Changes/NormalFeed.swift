import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `feed=normal`: what has changed until now, as one JSON object.
struct NormalFeed: Sendable {
    let writer: ChangesWriter

    func response() async throws -> Response {
        var writer = writer
        // What fits into one piece goes out whole, with its length, so that a failure can still be told by a status.
        var opening = try await Self.opening(before: writer.nextPiece(.list))
        guard !writer.isAtEnd else {
            opening.append { ChangesEncoder.appendClosing(writer.position, to: &$0) }
            return opening.response(type: "application/json", from: writer.keyspace, chunkSize: writer.chunkSize)
        }
        return Self.stream(opening, then: writer)
    }

    static func opening(before rows: SegmentedBody) -> SegmentedBody {
        var body = SegmentedBody()
        body.append { $0 += ChangesEncoder.opening }
        body.append(rows)
        return body
    }

    /// The answer where the feed cannot be read: it breaks off, which every client takes for an error and tries again.
    ///
    /// Couchbase Lite for Java reads an error's body as if it were a feed, finds no rows, and takes a one-shot pull for done.
    static func broken(by error: LegacyError) -> Response {
        .stream(type: "application/json") { body in
            try await body.write(ByteBuffer(bytes: ChangesEncoder.opening))
            throw error
        }
    }

    /// What was read already, then the rest of the feed and its end.
    static func stream(_ opening: SegmentedBody, then rest: ChangesWriter) -> Response {
        .stream(type: "application/json") { body in
            try await finish(opening, then: rest, in: &body)
            try await body.finish(nil)
        }
    }

    /// Writes what was read already, the rest of the feed and its end.
    static func finish(_ opening: SegmentedBody, then rest: ChangesWriter, in body: inout any ResponseBodyWriter) async throws {
        var (writer, piece) = (rest, opening)
        while !writer.isAtEnd {
            try await writer.write(piece, to: &body)
            piece = try await writer.nextPiece(.list)
        }
        piece.append { ChangesEncoder.appendClosing(writer.position, to: &$0) }
        try await writer.write(piece, to: &body)
    }
}

/// `feed=longpoll`: like a normal feed if something has changed, else it waits for the first change.
///
/// Head and opening go out at once and newlines at each heartbeat: Couchbase Lite for Java waits 40 seconds for a byte, no longer.
/// However it ends, the answer is complete JSON: clients take anything else for a proxy that cuts them off.
struct LongpollFeed: Sendable {
    let writer: ChangesWriter
    let clock: FeedClock
    let commits: CommitSubscription

    func response() async throws -> Response {
        var writer = writer
        let rows = try await Self.rows(&writer)
        guard rows.isEmpty, !writer.cursor.isExhausted else {
            return NormalFeed.stream(NormalFeed.opening(before: rows), then: writer)
        }
        let idle = writer
        return .stream(type: "application/json") { body in
            try await body.write(ByteBuffer(bytes: ChangesEncoder.opening))
            try await idle.keyspace.database.activity.during(.longpoll) { try await wait(idle, &body) }
            try await body.finish(nil)
        }
    }

    /// Reads on to the first rows, or to the end of the feed.
    private static func rows(_ writer: inout ChangesWriter) async throws -> SegmentedBody {
        while true {
            let rows = try await writer.nextPiece(.list)
            if !rows.isEmpty || writer.isAtEnd { return rows }
        }
    }

    private func wait(_ idle: ChangesWriter, _ body: inout any ResponseBodyWriter) async throws {
        var writer = idle
        try await clock.run(following: commits) { alarm in
            var rows = SegmentedBody()
            while rows.isEmpty {
                let events = try await alarm.next()
                if events.contains(.commit) { rows = try await Self.rows(&writer) }
                if !rows.isEmpty || !events.isDisjoint(with: [.timeout, .end]) { break }
                if events.contains(.heartbeat) { try await body.write(ByteBuffer(string: "\n")) }
            }
            try await NormalFeed.finish(rows, then: writer, in: &body)
        }
    }
}
