import Gateway
import HummingbirdCore
import NIOCore
import Storage

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
