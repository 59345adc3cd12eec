package import NIOCore

/// Changes the first message of a client in the bytes of a WebSocket, and passes on all other bytes as they are.
///
/// Bytes are held back until the first frame of data is complete. A first message that is longer than the limit, that has several frames, or that
/// violates the protocol is passed on as it is, and the server refuses it if it is invalid.
package struct WebSocketFirstMessage: Sendable {
    private let limit: Int
    private let change: @Sendable ([UInt8]) -> [UInt8]?
    private var held = ByteBuffer()
    private var isDone = false

    /// - Parameters:
    ///   - limit: The largest message that is changed, in bytes.
    ///   - change: The new content; `nil` if the message stays as it is.
    package init(limit: Int, change: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
        self.limit = limit
        self.change = change
    }

    /// The bytes to pass on after more bytes have arrived; may be empty.
    package mutating func receive(_ bytes: ByteBuffer) -> ByteBuffer {
        guard !isDone else { return bytes }
        held.writeImmutableBuffer(bytes)
        var passed = ByteBuffer()
        while !isDone {
            guard let (header, size) = header() else { break }
            guard let header, header.opcode.isControl || header.isFinal && header.length <= limit else {
                isDone = true
                break
            }
            guard held.readableBytes >= size + header.length, var frame = held.readSlice(length: size + header.length) else { break }
            if header.opcode.isControl {
                passed.writeBuffer(&frame)
            } else {
                isDone = true
                passed.writeImmutableBuffer(changed(frame, header, size))
            }
        }
        if isDone {
            passed.writeBuffer(&held)
            held = ByteBuffer()
        }
        return passed
    }

    /// The header of the next frame and its size; a `nil` header violates the protocol.
    ///
    /// - Returns: `nil` if the header is not complete.
    private func header() -> (WebSocketFrameHeader?, size: Int)? {
        held.withUnsafeReadableBytes { bytes in
            guard bytes.count >= 2 else { return nil }
            let size = WebSocketFrameHeader.size(bytes[0], bytes[1])
            guard bytes.count >= size else { return nil }
            return (try? WebSocketFrameHeader(UnsafeRawBufferPointer(rebasing: bytes.prefix(size))), size)
        }
    }

    private func changed(_ frame: ByteBuffer, _ header: WebSocketFrameHeader, _ size: Int) -> ByteBuffer {
        var payload = Array(frame.readableBytesView.dropFirst(size))
        payload.withUnsafeMutableBytes { header.mask?.apply(to: $0, at: 0) }
        guard let content = change(payload) else { return frame }
        return WebSocketFrameWriter(role: header.mask == nil ? .server : .client).control(header.opcode, content)
    }
}
