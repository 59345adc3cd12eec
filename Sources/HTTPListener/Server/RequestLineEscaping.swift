import NIOCore

/// Percent-encodes raw UTF-8 bytes in a request line.
///
/// RFC 3986 does not allow them, and NIO's parser refuses them. But `curl` and scripts send them, and Sync Gateway and CouchDB accept them
/// (docs/protocol/legacy-1x.md#document-ids-in-urls). Only the line of a request that arrives after the preceding one has ended is
/// processed; of several requests in one packet, only the first.
struct RequestLineEscaping {
    /// Whether the next bytes belong to a request line, and whether the line has begun: the parser skips empty lines before it.
    private var isInLine = true
    private var hasBegun = false

    /// The bytes in the form that the parser accepts.
    mutating func escape(_ bytes: ByteBuffer) -> ByteBuffer {
        guard isInLine else { return bytes }
        let view = bytes.readableBytesView
        let start = hasBegun ? view.startIndex : view.firstIndex { $0 != Self.newline && $0 != Self.carriageReturn }
        guard let start else { return bytes }
        hasBegun = true
        let end = view[start...].firstIndex(of: Self.newline)
        isInLine = end == nil
        let line = view[..<(end ?? view.endIndex)]
        guard line.contains(where: { $0 >= 0x80 }) else { return bytes }
        var escaped = ByteBuffer()
        for byte in line {
            if byte < 0x80 { escaped.writeInteger(byte) } else { escaped.writeString("%" + String(byte, radix: 16, uppercase: true)) }
        }
        escaped.writeBytes(view[line.endIndex...])
        return escaped
    }

    /// The next bytes begin another request line.
    mutating func requestEnded() {
        (isInLine, hasBegun) = (true, false)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}

/// Precedes the HTTP parser: reports the number of received bytes, because the parser reports nothing until a head is complete, and
/// escapes request lines.
final class RequestLineEscapingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let arrived: (Int) -> Void
    private var escaping = RequestLineEscaping()

    init(_ arrived: @escaping (Int) -> Void) {
        self.arrived = arrived
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        arrived(bytes.readableBytes)
        context.fireChannelRead(wrapInboundOut(escaping.escape(bytes)))
    }

    /// Must be called when the parser has reached the end of a request.
    func requestEnded() {
        escaping.requestEnded()
    }
}
