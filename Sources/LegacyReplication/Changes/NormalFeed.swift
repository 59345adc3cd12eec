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
