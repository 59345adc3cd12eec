/// The header of a WebSocket frame, RFC 6455 5.2.
struct WebSocketFrameHeader: Equatable {
    let isFinal: Bool
    let opcode: WebSocketOpcode
    let length: Int
    let mask: WebSocketMask?

    /// The maximum size of a header in bytes.
    static let maximumSize = 14

    /// The size in bytes of a header that begins with these two bytes.
    static func size(_ first: UInt8, _ second: UInt8) -> Int {
        let lengthSize =
            switch second & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + lengthSize + (second & 0x80 != 0 ? 4 : 0)
    }

    /// - Parameter bytes: A complete header.
    init(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        guard bytes[0] & 0x70 == 0 else { throw .malformed("a reserved bit is set, but no extension was agreed on") }
        guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0x0F) else { throw .malformed("unknown opcode \(bytes[0] & 0x0F)") }
        let length: UInt64
        var offset = 2
        switch bytes[1] & 0x7F {
        case 126:
            length = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard length > 125 else { throw .malformed("a length in more bytes than necessary") }
            offset = 4
        case 127:
            length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard length > 0xFFFF, length <= UInt64(Int.max) else {
                throw .malformed("a length in more bytes than necessary, or a negative length")
            }
            offset = 10
        case let short: length = UInt64(short)
        }
        isFinal = bytes[0] & 0x80 != 0
        if opcode.isControl, !isFinal || length > 125 { throw .malformed("a control frame in fragments or of more than 125 bytes") }
        self.opcode = opcode
        self.length = Int(length)
        mask =
            bytes[1] & 0x80 != 0
            ? WebSocketMask(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))) : nil
    }
}

/// The kinds of WebSocket frames, RFC 6455 5.2.
enum WebSocketOpcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }

    init(_ kind: WebSocketMessage.Kind) {
        self = kind == .text ? .text : .binary
    }
}

/// The mask that a client applies to a frame's payload, RFC 6455 5.3.
struct WebSocketMask: Equatable {
    /// The four bytes, the first one in the lowest position.
    private let little: UInt32

    /// - Parameter key: The mask in the frame, big-endian.
    init(_ key: UInt32) {
        little = key.byteSwapped
    }

    /// Applies or removes the mask on bytes that begin at `position` of the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at position: Int) {
        guard little != 0 else { return }
        let turn = UInt32(position % 4 * 8)
        let turned = turn == 0 ? little : little >> turn | little << (32 - turn)
        let wide = UInt64(turned) << 32 | UInt64(turned)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: turned >> UInt32(index % 4 * 8))
            index += 1
        }
    }
}

/// The side of a WebSocket: clients send masked frames, servers unmasked ones.
package enum WebSocketRole: Sendable {
    case client, server
}
