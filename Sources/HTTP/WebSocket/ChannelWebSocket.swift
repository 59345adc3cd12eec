import Coordination
package import NIOCore

/// A WebSocket over a channel: the part that tasks use.
package final class ChannelWebSocket: WebSocketConnection {
    package let subprotocol: String?
    let channel: any Channel
    let limits: WebSocketLimits
    let inbox: InboundQueue<WebSocketMessage>
    let pipe: OutboundBuffer

    private struct State {
        var closure: WebSocketClosure?
        var writer = WebSocketFrameWriter(role: .server)
    }

    private let state = Lock(State())
    private let handler: NIOLoopBoundBox<WebSocketHandler?>

    package init(channel: any Channel, pipe: OutboundBuffer, subprotocol: String?, limits: WebSocketLimits) {
        self.channel = channel
        self.pipe = pipe
        self.subprotocol = subprotocol
        self.limits = limits
        inbox = InboundQueue(capacity: limits.receiveBuffer)
        handler = .makeEmptyBox(eventLoop: channel.eventLoop)
    }

    /// Adds the socket's handler to the channel's pipeline. Must be called on the channel's event loop.
    ///
    /// - Parameters:
    ///   - role: This side's role.
    ///   - predecessor: The handler after which the socket's handler is added.
    ///   - quiesced: Called when the server stops, after the closing handshake has begun.
    package func install(as role: WebSocketRole, after predecessor: any ChannelHandler, quiesced: @escaping () -> Void = {}) throws {
        let handler = WebSocketHandler(socket: self, role: role, quiesced: quiesced)
        try channel.pipeline.syncOperations.addHandler(handler, position: .after(predecessor))
    }

    package var closure: WebSocketClosure? { state.withLock { $0.closure } }

    package func receive() async throws -> [WebSocketMessage]? {
        try await inbox.nextBatch()
    }

    package func send(_ messages: [WebSocketMessage]) async throws {
        guard !messages.isEmpty else { return }
        do {
            try await pipe.write(state.withLock { $0.writer }.frames(messages, allocator: channel.allocator))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw WebSocketError(.closed, reason: "The WebSocket is closed; nothing more can be sent.", cause: error)
        }
    }

    package func close(code: WebSocketCloseCode, reason: String) async {
        // Runs on the event loop, which also receives the peer's close frame, so that the order of both is unambiguous.
        onLoop { $0.close(WebSocketClosure(code: code, reason: reason, initiator: .local)) }
        try? await channel.closeFuture.get()
    }

    package func drop() {
        record(.lost("dropped by this side"))
        channel.close(promise: nil)
    }

    /// Records how the socket ended; the first record counts.
    func record(_ closure: WebSocketClosure) {
        state.withLock { state in
            if state.closure == nil { state.closure = closure }
        }
    }

    func attach(_ handler: WebSocketHandler, writer: WebSocketFrameWriter, on eventLoop: any EventLoop) {
        self.handler.value = handler
        state.withLock { $0.writer = writer }
        inbox.onResume { [weak self] in self?.onLoop { $0.resume() } }
    }

    func detach() {
        handler.value = nil
    }

    /// Closes the connection after the last frame.
    func linger() {
        onLoop { $0.linger() }
    }

    private func onLoop(_ action: @escaping @Sendable (WebSocketHandler) -> Void) {
        channel.eventLoop.execute { [handler] in
            if let handler = handler.value { action(handler) }
        }
    }
}
