package import HTTP
package import NIOCore

/// A connection to another server, which becomes the far end of a tunnel.
package struct TunnelEnd: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<TunnelHandler>
    private let firstMessage: WebSocketFirstMessage?

    /// Must be called on the channel's event loop, which has to be that of the client's connection.
    ///
    /// - Parameters:
    ///   - handler: The last handler of the channel.
    ///   - firstMessage: Changes the first message of the client.
    package init(_ channel: any Channel, _ handler: TunnelHandler, firstMessage: WebSocketFirstMessage? = nil) {
        self.firstMessage = firstMessage
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    /// Completes the tunnel. Must be called on the event loop.
    func join(_ own: TunnelHandler) {
        own.firstMessage = firstMessage
        TunnelHandler.join(own, handler.value)
    }

    package func close() {
        channel.close(promise: nil)
    }
}

/// One end of a tunnel between two connections on one event loop: passes bytes to the other end unread.
///
/// - An end reads only while the other end accepts bytes, so a slow side slows the other, and at most the channels' own buffers hold bytes.
/// - When one side ends, the other is closed after the bytes that were received before.
package final class TunnelHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var partner: TunnelHandler?

    /// Bytes that arrived before the tunnel was complete. Nothing more is read meanwhile.
    private var early: [ByteBuffer] = []
    private var hasEnded = false
    private var missedRead = false

    /// Changes the first message that is received.
    fileprivate var firstMessage: WebSocketFirstMessage?

    package init() {}

    /// Completes a tunnel. Both handlers must be in their pipelines, on the current event loop.
    package static func join(_ one: TunnelHandler, _ other: TunnelHandler) {
        (one.partner, other.partner) = (other, one)
        for end in [one, other] {
            for bytes in end.early { end.partner?.write(bytes) }
            end.early = []
            end.partner?.flush()
            if end.hasEnded { end.partner?.finish() }
        }
        for end in [one, other] { end.readIfMissed() }
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // An earlier handler may have deferred a read.
        missedRead = true
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
        partner = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let changed = firstMessage?.receive(bytes) { bytes = changed }
        if let partner { partner.write(bytes) } else { early.append(bytes) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        partner?.flush()
    }

    package func read(context: ChannelHandlerContext) {
        if let partner, partner.acceptsBytes { context.read() } else { missedRead = true }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { partner?.readIfMissed() }
        context.fireChannelWritabilityChanged()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end()
        context.close(promise: nil)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: end()
        // The server stops: the client reconnects.
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private var acceptsBytes: Bool { context?.channel.isWritable ?? false }

    private func readIfMissed() {
        guard missedRead, partner?.acceptsBytes == true else { return }
        missedRead = false
        context?.read()
    }

    private func write(_ bytes: ByteBuffer) {
        context?.write(wrapOutboundOut(bytes), promise: nil)
    }

    private func flush() {
        context?.flush()
    }

    /// Notes that this side has ended.
    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        partner?.finish()
    }

    /// How long a side may take to accept its last bytes.
    private static let finishTimeout = TimeAmount.seconds(120)

    /// Closes this side after its last bytes.
    private func finish() {
        guard let context else { return }
        let timer = context.eventLoop.scheduleTask(in: Self.finishTimeout) { [channel = context.channel] in channel.close(promise: nil) }
        context.channel.closeFuture.whenComplete { _ in timer.cancel() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { [channel = context.channel] _ in channel.close(promise: nil) }
    }
}
