import Gateway
import HummingbirdCore
import NIOCore
import Storage

/// `feed=continuous`: a row a line, for as long as the client likes. CouchDB's replicator uses it.
///
/// Blank lines are heartbeats, and one tells each time that the feed is caught up. A feed that times out says where it stands, which
/// CouchDB waits for.
struct ContinuousFeed: Sendable {
    let writer: ChangesWriter
    let clock: FeedClock
    let commits: CommitSubscription

    func response() -> Response {
        // Sync Gateway's type, which nothing compresses or buffers.
        .stream(type: "application/octet-stream") { body in
            try await writer.keyspace.database.activity.during(.continuous) { try await follow(&body) }
            try await body.finish(nil)
        }
    }

    private func follow(_ body: inout any ResponseBodyWriter) async throws {
        var writer = writer
        try await clock.run(following: commits) { alarm in
            while true {
                try await Self.catchUp(&writer, &body)
                guard !writer.cursor.isExhausted else { break }
                guard try await Self.sleep(alarm, &body) else { break }
            }
            try await body.write(ByteBuffer(bytes: ChangesEncoder.continuousClosing(writer.cursor.position)))
        }
    }

    private static func catchUp(_ writer: inout ChangesWriter, _ body: inout any ResponseBodyWriter) async throws {
        repeat {
            var bytes = try await writer.nextBatch(.lines)
            if writer.isAtEnd { bytes.append(UInt8(ascii: "\n")) }
            if !bytes.isEmpty { try await body.write(ByteBuffer(bytes: bytes)) }
        } while !writer.isAtEnd
    }

    /// Waits for the next commit; false if the feed is to end instead.
    private static func sleep(_ alarm: FeedAlarm, _ body: inout any ResponseBodyWriter) async throws -> Bool {
        while true {
            let events = try await alarm.next()
            if events.contains(.commit) { return true }
            guard events.isDisjoint(with: [.timeout, .end]) else { return false }
            try await body.write(ByteBuffer(string: "\n"))
        }
    }
}
