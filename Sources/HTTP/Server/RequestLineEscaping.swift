import NIOCore

/// Escapes bytes of UTF-8 that stand in a request's first line as they are.
///
/// RFC 3986 has none, and NIO's parser refuses them; but `curl` and scripts send them, and Sync Gateway and CouchDB take them
/// (docs/protocol/legacy-1x.md#document-ids-in-urls). Only the line of a request that comes after the one before has ended is looked at: of
/// requests in one packet the first.
struct RequestLineEscaping {
    /// Whether the next bytes belong to a first line, and whether it has begun: the parser skips empty lines before it.
    private var isInLine = true
    private var hasBegun = false

    /// The bytes as the parser takes them.
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

    /// What comes now is another request's first line.
    mutating func requestEnded() {
        (isInLine, hasBegun) = (true, false)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}

/// Sits before the HTTP parser, tells how many bytes arrive, since the parser is silent until a head is complete, and makes first lines such as it takes.
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

    /// The parser has come to the end of a request.
    func requestEnded() {
        escaping.requestEnded()
    }
}
