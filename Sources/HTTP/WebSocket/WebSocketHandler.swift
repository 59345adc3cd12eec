import NIOCore
import NIOExtras

/// The event loop's part of a ``ChannelWebSocket``: the last handler in the pipeline of a WebSocket connection.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let socket: ChannelWebSocket
    private let limits: WebSocketLimits
    private let writer: WebSocketFrameWriter
    private let quiesced: () -> Void
    private var session: WebSocketSession
    private var context: ChannelHandlerContext?
    private var tick: DeadlineTimer?
    private var batch: [WebSocketMessage] = []
    private var isPaused = false
    private var missedRead = false
    private var isInputClosed = false
    private var isLingering = false
    /// The reply to the latest ping, deferred while the channel is not writable.
    private var heldPong: [UInt8]?

    /// - Parameter quiesced: Called when the server stops, after the closing handshake has begun.
    init(socket: ChannelWebSocket, role: WebSocketRole, quiesced: @escaping () -> Void) {
        self.socket = socket
        limits = socket.limits
        writer = WebSocketFrameWriter(role: role)
        session = WebSocketSession(role: role, limits: limits, now: .now())
        self.quiesced = quiesced
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        socket.attach(self, writer: writer, on: context.eventLoop)
        tick = DeadlineTimer(
            on: context.eventLoop,
            within: [
                limits.pingInterval, limits.pingInterval == nil ? nil : limits.pingTimeout, limits.idleTimeout, limits.writeTimeout,
                limits.closeTimeout,
            ].map { $0.map { TimeAmount($0) } }
        ) { [weak self] in self?.checkTime() }
        // An earlier handler may have deferred a read.
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        tick?.cancel()
        self.context = nil
        socket.detach()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let actions = unwrapInboundIn(data).withUnsafeReadableBytes { session.received($0, now: .now()) }
        perform(actions)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !batch.isEmpty else { return }
        let messages = batch
        batch = []
        let size = messages.reduce(0) { $0 + $1.bytes.count + 64 }
        if !socket.inbox.push(messages, size: size) { isPaused = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        channelReadComplete(context: context)
        perform(session.disconnected("the connection was lost"))
        socket.pipe.fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        channelReadComplete(context: context)
        perform(session.disconnected("the connection failed: \(NetworkErrorText.text(error))"))
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            channelReadComplete(context: context)
            isInputClosed = true
            perform(session.disconnected("the peer closed the connection without a close frame"))
            if isLingering { context.close(promise: nil) }
        case is ChannelShouldQuiesceEvent:
            perform(
                session.close(.init(code: limits.shutdownCode, reason: "the server is stopping", initiator: .local), now: .now()))
            quiesced()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let pong = heldPong {
            heldPong = nil
            perform([.pong(pong)])
        }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { missedRead = true } else { context.read() }
    }

    /// Resumes reading after the application has consumed the queue.
    func resume() {
        isPaused = false
        guard missedRead else { return }
        missedRead = false
        context?.read()
    }

    /// Begins the closing handshake for the application.
    func close(_ closure: WebSocketClosure) {
        perform(session.close(closure, now: .now()))
        // The peer's close frame must be read, regardless of the number of messages before it.
        resume()
    }

    /// Closes the connection after the closing handshake; further input is discarded.
    func linger() {
        guard let context else { return }
        isLingering = true
        if isInputClosed { context.close(promise: nil) } else { context.linger(for: TimeAmount(limits.closeTimeout)) }
        resume()
    }

    private func checkTime() {
        let now = NIODeadline.now()
        if let stalled = socket.pipe.stalledSince, now - stalled >= TimeAmount(limits.writeTimeout) {
            perform(session.disconnected("the peer has received nothing for \(limits.writeTimeout)"))
        } else {
            perform(session.tick(isHeldBack: isPaused, now: now))
        }
    }

    private func perform(_ actions: [WebSocketSession.Action]) {
        for action in actions {
            switch action {
            case .deliver(let messages): batch += messages
            case .pong(let payload):
                // Only the latest ping needs a reply, so a peer that does not read cannot accumulate replies.
                if context?.channel.isWritable == true {
                    try? socket.pipe.enqueue(writer.control(.pong, payload))
                } else {
                    heldPong = payload
                }
            case .ping: try? socket.pipe.enqueue(writer.control(.ping, []))
            case .close(let closure):
                socket.pipe.seal(with: writer.close(closure.code, closure.initiator == .peer ? "" : closure.reason))
                socket.record(closure)
            case .end(let closure):
                finish(closure)
                socket.pipe.whenFlushed { [socket] in socket.linger() }
            case .abort(let closure):
                finish(closure)
                context?.close(promise: nil)
            }
        }
    }

    private func finish(_ closure: WebSocketClosure) {
        if let context { channelReadComplete(context: context) }
        socket.record(closure)
        socket.inbox.finish()
    }
}
