import HummingbirdCore
import NIOCore

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
