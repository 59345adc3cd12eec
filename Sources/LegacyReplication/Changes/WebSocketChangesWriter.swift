import Compression
import HTTP

/// Puts arrays of rows into messages: text, or one gzip stream over binary messages for clients that ask for it.
///
/// One mode for the whole connection: .NET takes the first message for what all will be.
struct WebSocketChangesWriter {
    private let deflater: Deflater?

    /// - Throws: `CompressionError` when there is no memory.
    init(compresses: Bool) throws {
        deflater = compresses ? try Deflater() : nil
    }

    func message(of rows: [UInt8]) -> WebSocketMessage {
        guard let deflater else { return WebSocketMessage(.text, bytes: rows) }
        return WebSocketMessage(.binary, bytes: deflater.write(rows, flush: .sync))
    }

    /// Tells that the feed is caught up, for the first time. Always text: .NET knows it only so.
    static let caughtUp = WebSocketMessage.text("[]")

    /// A sign of life.
    static let heartbeat = WebSocketMessage.text("")
}
