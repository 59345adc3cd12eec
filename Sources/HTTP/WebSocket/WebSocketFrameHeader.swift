/// The head of a WebSocket frame, RFC 6455 5.2.
struct WebSocketFrameHeader: Equatable {
    let isFinal: Bool
    let opcode: WebSocketOpcode
    let length: Int
    let mask: WebSocketMask?

    /// The most bytes a header has.
    static let maximumSize = 14

    /// How many bytes the header has that begins with these two.
    static func size(_ first: UInt8, _ second: UInt8) -> Int {
        let lengthSize =
            switch second & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + lengthSize + (second & 0x80 != 0 ? 4 : 0)
    }

    /// - Parameter bytes: A whole header.
    init(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) {
        guard bytes[0] & 0x70 == 0 else { throw .malformed("a reserved bit is set, but no extension was agreed on") }
        guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0x0F) else { throw .malformed("unknown opcode \(bytes[0] & 0x0F)") }
        let length: UInt64
        var offset = 2
        switch bytes[1] & 0x7F {
        case 126:
            length = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard length > 125 else { throw .malformed("a length in more bytes than it needs") }
            offset = 4
        case 127:
            length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard length > 0xFFFF, length <= UInt64(Int.max) else { throw .malformed("a length in more bytes than it needs, or negative") }
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
