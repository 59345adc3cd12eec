import HummingbirdCore
import NIOCore

/// `feed=normal`: what has changed until now, as one JSON object.
struct NormalFeed: Sendable {
    let writer: ChangesWriter

    func response() async throws -> Response {
        var writer = writer
        var bytes = ChangesEncoder.opening
        // What fits into one batch goes out whole, with its length, so that a failure can still be told by a status.
        bytes += try await writer.nextBatch(.list)
        guard !writer.isAtEnd else {
            ChangesEncoder.appendClosing(writer.cursor.position, to: &bytes)
            return .json(bytes)
        }
        return Self.stream(bytes, then: writer)
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
    static func stream(_ bytes: [UInt8], then rest: ChangesWriter) -> Response {
        .stream(type: "application/json") { body in
            var writer = rest
            var bytes = bytes
            while true {
                if writer.isAtEnd { ChangesEncoder.appendClosing(writer.cursor.position, to: &bytes) }
                if !bytes.isEmpty { try await body.write(ByteBuffer(bytes: bytes)) }
                if writer.isAtEnd { break }
                bytes = try await writer.nextBatch(.list)
            }
            try await body.finish(nil)
        }
    }
}
