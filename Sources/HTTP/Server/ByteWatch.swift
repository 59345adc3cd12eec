import NIOCore

/// Sits before the HTTP parser and tells how many bytes arrive, since the parser is silent until a head is complete.
final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let arrived: (Int) -> Void

    init(_ arrived: @escaping (Int) -> Void) {
        self.arrived = arrived
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrived(unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}
