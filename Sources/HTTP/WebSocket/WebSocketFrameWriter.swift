import NIOCore

/// Writes WebSocket frames, one for each message.
struct WebSocketFrameWriter {
    let role: WebSocketRole

    /// The maximum number of bytes that a frame adds to its payload.
    static let overhead = 14

    func write(_ opcode: WebSocketOpcode, _ payload: [UInt8], to buffer: inout ByteBuffer) {
        buffer.writeInteger(0x80 | opcode.rawValue)
        let maskBit: UInt8 = role == .client ? 0x80 : 0
        switch payload.count {
        case ...125: buffer.writeInteger(maskBit | UInt8(payload.count))
        case ...0xFFFF:
            buffer.writeInteger(maskBit | 126)
            buffer.writeInteger(UInt16(payload.count))
        default:
            buffer.writeInteger(maskBit | 127)
            buffer.writeInteger(UInt64(payload.count))
        }
        guard role == .client else {
            buffer.writeBytes(payload)
            return
        }
        let mask = UInt32.random(in: .min ... .max)
        buffer.writeInteger(mask)
        buffer.writeBytes(payload)
        buffer.withUnsafeMutableReadableBytes { bytes in
            WebSocketMask(mask).apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes.suffix(payload.count)), at: 0)
        }
    }

    /// All messages in one buffer.
    func frames(_ messages: [WebSocketMessage], allocator: ByteBufferAllocator) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: messages.reduce(0) { $0 + $1.bytes.count + Self.overhead })
        for message in messages {
            write(WebSocketOpcode(message.kind), message.bytes, to: &buffer)
        }
        return buffer
    }

    /// One frame.
    func control(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        write(opcode, payload, to: &buffer)
        return buffer
    }

    /// A close frame. A code that must not be sent results in an empty frame. The reason is truncated at a character boundary if necessary.
    func close(_ code: WebSocketCloseCode, _ reason: String) -> ByteBuffer {
        guard code.isSendable else { return control(.close, []) }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason {
            guard payload.count + character.utf8.count <= 125 else { break }
            payload += Array(character.utf8)
        }
        return control(.close, payload)
    }
}
