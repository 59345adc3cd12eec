import NIOCore
import NIOPosix

/// A link that takes its time: whatever arrives at its port goes on to another one somewhat later, and so does the answer.
struct DelayingProxy {
    let port: Int
    private let channel: any Channel

    /// - Parameter delay: for each way, so that a round trip takes twice that.
    init(to target: Int, delay: TimeAmount) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(ChannelOptions.autoRead, value: false)
            .childChannelInitializer { near in
                // The other half is on the same event loop, so that each may write to the other.
                ClientBootstrap(group: near.eventLoop)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { far in
                        try near.pipeline.syncOperations.addHandler(DelayedRelay(to: far, delay: delay))
                        try far.pipeline.syncOperations.addHandler(DelayedRelay(to: near, delay: delay))
                    }
                    .flatMap { near.setOption(ChannelOptions.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws {
        try await channel.close()
    }
}

/// One way of a delayed connection.
private final class DelayedRelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: any Channel
    private let delay: TimeAmount
    private var waiting = CircularBuffer<ByteBuffer>()

    init(to peer: any Channel, delay: TimeAmount) {
        self.peer = peer
        self.delay = delay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append(unwrapInboundIn(data))
        let later = context.eventLoop.assumeIsolated()
        later.scheduleTask(in: delay) {
            if let buffer = self.waiting.popFirst() { self.peer.writeAndFlush(buffer, promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let later = context.eventLoop.assumeIsolated()
        later.scheduleTask(in: delay) { self.peer.close(promise: nil) }
    }
}
