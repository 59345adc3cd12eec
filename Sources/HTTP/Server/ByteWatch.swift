import NIOCore

/// Sits before the HTTP parser, tells how many bytes arrive, since the parser is silent until a head is complete, and makes first lines such as it takes.
final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
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
