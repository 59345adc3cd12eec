import Gateway
import HummingbirdCore
import LegacyProtocol
import NIOCore
import Storage

/// `feed=normal`: all changes up to now, as one JSON object.
struct NormalFeed: Sendable {
    let writer: ChangesWriter

    func response() async throws -> Response {
        // A response of one piece is sent with its length after everything was read, so that an error can still change the status.
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

    /// A response that breaks off, sent if the feed cannot be read. Every client treats it as an error and retries.
    ///
    /// Couchbase Lite for Java parses the body of an error response as a feed, finds no rows, and treats a one-shot pull as finished.
    static func broken(by error: LegacyError) -> Response {
        .stream(type: "application/json") { body in
            try await body.write(ByteBuffer(bytes: ChangesEncoder.opening))
            throw error
        }
    }

    /// Responds with the rows that were already read, the rest of the feed and its end.
    static func stream(_ opening: SegmentedBody, then writer: ChangesWriter) -> Response {
        .stream(type: "application/json") { body in
            try await finish(opening, then: writer, in: &body)
            try await body.finish(nil)
        }
    }

    /// Writes the rows that were already read, the rest of the feed and its end.
    static func finish(_ opening: SegmentedBody, then writer: ChangesWriter, in body: inout any ResponseBodyWriter) async throws {
        var piece = opening
        while !writer.isAtEnd {
            try await writer.write(piece, to: &body)
            piece = try await writer.nextPiece(.list)
        }
        piece.append { ChangesEncoder.appendClosing(writer.position, to: &$0) }
        try await writer.write(piece, to: &body)
    }
}

/// `feed=longpoll`: responds like a normal feed if there are changes, otherwise waits for the first change.
///
/// The head and the opening text are sent at once, and a newline at each heartbeat: Couchbase Lite for Java times out after 40 seconds without a
/// byte. The response is always complete JSON: clients treat anything else as a connection cut by a proxy.
struct LongpollFeed: Sendable {
    let writer: ChangesWriter
    let clock: FeedClock
    let commits: CommitSubscription

    func response() async throws -> Response {
        let rows = try await Self.rows(writer)
        guard rows.isEmpty, !writer.cursor.isExhausted else {
            return NormalFeed.stream(NormalFeed.opening(before: rows), then: writer)
        }
        return .stream(type: "application/json") { body in
            try await body.write(ByteBuffer(bytes: ChangesEncoder.opening))
            try await writer.keyspace.database.activity.during(.longpoll) { try await wait(&body) }
            try await body.finish(nil)
        }
    }

    /// Reads up to the first rows, or to the end of the feed.
    private static func rows(_ writer: ChangesWriter) async throws -> SegmentedBody {
        while true {
            let rows = try await writer.nextPiece(.list)
            if !rows.isEmpty || writer.isAtEnd { return rows }
        }
    }

    private func wait(_ body: inout any ResponseBodyWriter) async throws {
        try await clock.run(following: commits) { alarm in
            var rows = SegmentedBody()
            while rows.isEmpty {
                let events = try await alarm.next()
                if events.contains(.commit) { rows = try await Self.rows(writer) }
                if !rows.isEmpty || !events.isDisjoint(with: [.timeout, .end]) { break }
                if events.contains(.heartbeat) { try await body.write(ByteBuffer(string: "\n")) }
            }
            try await NormalFeed.finish(rows, then: writer, in: &body)
        }
    }
}
