import NIOCore
import NIOPosix

/// A proxy to a local server that simulates latency: each byte arrives after a fixed delay, in both directions.
struct DelayingProxy {
    private let channel: any Channel

    /// - Parameters:
    ///   - port: Port of the server.
    ///   - delay: One-way delay.
    init(to port: Int, delay: TimeAmount) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { incoming in
                // Reading starts after the outgoing connection is open.
                incoming.setOption(.autoRead, value: false).flatMap {
                    ClientBootstrap(group: incoming.eventLoop)
                        .channelOption(.autoRead, value: false)
                        .connect(host: "127.0.0.1", port: port)
                }.flatMap { outgoing in
                    incoming.eventLoop.makeCompletedFuture {
                        try incoming.pipeline.syncOperations.addHandler(DelayedForwarding(to: outgoing, delay: delay))
                        try outgoing.pipeline.syncOperations.addHandler(DelayedForwarding(to: incoming, delay: delay))
                    }.flatMap { incoming.setOption(.autoRead, value: true).and(outgoing.setOption(.autoRead, value: true)).map { _ in } }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async throws {
        try await channel.close()
    }
}

/// Forwards received bytes to another channel after a delay.
private final class DelayedForwarding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let delay: TimeAmount

    init(to other: any Channel, delay: TimeAmount) {
        self.other = other
        self.delay = delay
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        context.eventLoop.scheduleTask(in: delay) { [other] in other.writeAndFlush(bytes, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.eventLoop.scheduleTask(in: delay) { [other] in other.close(promise: nil) }
    }
}
