import Coordination
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A client's connection: reads requests one after the other, sends the responses, and becomes a WebSocket if a route requests it.
///
/// One task serves all requests of a connection. It is cancelled when the client disconnects. Rare steps are not inlined, because the stack frame of
/// the function that they would be inlined in stays allocated while a feed is idle.
final class HTTPConnection: Sendable {
    let channel: any Channel
    let queue = InboundQueue<RequestPart>(capacity: 256 * 1024)
    let pipe: OutboundBuffer
    let state: Lock<ConnectionState>

    private let settings: ConnectionSettings
    private let logger: Logger
    private let reader: RequestReader
    private let handler: NIOLoopBoundBox<HTTPConnectionHandler?>
    private let serving = Lock(Serving())
    private let peerCertificate = Lock<NIOSSLCertificate?>(nil)

    private struct Serving {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    /// Must be called on the channel's event loop.
    init(channel: any Channel, settings: ConnectionSettings, logger: Logger) {
        self.channel = channel
        self.settings = settings
        self.logger = logger
        pipe = OutboundBuffer(channel: channel, memory: settings.memory)
        reader = RequestReader(queue: queue)
        handler = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        let limits = settings.limits
        state = Lock(
            ConnectionState(
                limits: .init(
                    head: TimeAmount(limits.headTimeout), body: TimeAmount(limits.bodyTimeout),
                    keepAlive: TimeAmount(limits.keepAliveTimeout)),
                now: .now()))
    }

    var isSecure: Bool { settings.tls != nil }

    func attach(_ handler: HTTPConnectionHandler) {
        self.handler.value = handler
        queue.onResume { [weak self] in self?.onLoop { $0.resume() } }
        channel.closeFuture.whenComplete { [handler = self.handler] _ in handler.value = nil }
    }

    func setPeerCertificate(_ certificate: NIOSSLCertificate?) {
        peerCertificate.withLock { $0 = certificate }
    }

    /// Ends the input and cancels the task: received requests are still in the queue, but no client waits for their responses.
    func clientDisconnected() {
        queue.finish()
        cancel()
    }

    /// Closes the connection after the delay if it is still open.
    func scheduleShutdown(after delay: TimeAmount) {
        let timer = channel.eventLoop.scheduleTask(in: delay) {
            self.cancel()
            self.channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    /// Closes the connection once all queued bytes have been written.
    func end() {
        pipe.seal()
        pipe.whenFlushed { [weak self] in self?.onLoop { $0.linger() } }
    }

    /// Serves the connection in a task of its own until it is closed.
    ///
    /// The task is not the child of another one, because only such a task can be cancelled alone. Each task of an idle connection would cost two
    /// kilobytes.
    ///
    /// - Parameters:
    ///   - aborting: Closes the connection.
    ///   - ended: Called at the end.
    func start(until aborting: StopSignal, _ ended: @escaping @Sendable () -> Void) {
        let task = Task {
            await aborting.during {
                await serve()
                try? await channel.closeFuture.get()
            } onRaise: {
                self.cancel()
                self.channel.close(promise: nil)
            }
            ended()
        }
        let isCancelled = serving.withLock { serving in
            serving.task = task
            return serving.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func cancel() {
        let task = serving.withLock { serving in
            serving.isCancelled = true
            return serving.task
        }
        task?.cancel()
    }

    private func onLoop(_ action: @escaping @Sendable (HTTPConnectionHandler) -> Void) {
        channel.eventLoop.execute { [handler] in
            if let handler = handler.value { action(handler) }
        }
    }

    private func serve() async {
        do {
            var isOpen = true
            while isOpen, let exchange = try await nextExchange() { isOpen = try await finish(exchange) }
            // An error in a request's body has already been reported in the response to that request.
            if isOpen, let failure = reader.failure { try await refuse(failure) }
            end()
        } catch is CancellationError {
            channel.close(promise: nil)
        } catch {
            logger.debug("A connection ended with an error.", metadata: ["error": "\(error)"])
            channel.close(promise: nil)
        }
    }

    /// Waits for the next request; `nil` if there is none.
    @inline(never)
    private func nextExchange() async throws -> Exchange? {
        guard let (head, ordinal) = try await reader.next() else { return nil }
        return try await begin(head, ordinal)
    }

    /// Serves a request up to the head of its response.
    @inline(never)
    private func begin(_ head: RequestHead, _ ordinal: Int) async throws -> Exchange {
        if head.expectsContinue {
            try pipe.enqueue(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        }
        let response = await respond(to: head, ordinal)
        guard response.status == .switchingProtocols else { return try send(response, to: head, ordinal) }
        return try await upgrade(by: response, to: head, ordinal)
    }

    /// Decides on an upgrade that a route's response asks for.
    @inline(never)
    private func upgrade(by response: Response, to head: RequestHead, _ ordinal: Int) async throws -> Exchange {
        switch (head.upgrade, try await response.upgradeRoute()) {
        case (.webSocket(let key), .webSocket(let route)):
            return .webSocket(route, head: accept(response, key: key))
        case (.webSocket, .tunnel(let end, let leaving)):
            return .tunnel(end, head: encode(response, .none(announcedLength: nil), .upgrade), leaving: leaving)
        case (_, .tunnel(let end, _)):
            end.close()
            fallthrough
        default: return try send(.refusal(of: head.upgrade), to: head, ordinal)
        }
    }

    /// Performs the rest of an exchange; returns whether the connection can serve another request.
    private func finish(_ exchange: Exchange) async throws -> Bool {
        switch exchange {
        case .body(let transfer): return try await finish(transfer)
        case .webSocket(let route, let head):
            try await serve(route, head)
            return false
        case .tunnel(let end, let head, let leaving):
            try await join(end, head, leaving)
            return false
        }
    }

    /// Runs the handler in a task of its own.
    ///
    /// A task keeps the memory of its deepest call stack until it ends. The connection's own task can wait in a feed, or for the next request,
    /// for an unlimited time. The method is not inlined for the same reason.
    @inline(never)
    private func respond(to head: RequestHead, _ ordinal: Int) async -> Response {
        let body =
            head.hasBody
            ? RequestBody(asyncSequence: RequestBodyStream(reader: reader, ordinal: ordinal)) : RequestBody(buffer: ByteBuffer())
        let info = RequestInfo(
            remoteAddress: channel.remoteAddress, isSecure: isSecure, isBrowser: RequestInfo.isFromBrowser(head.request.headerFields),
            peerCertificate: peerCertificate.withLock { $0 },
            shutdown: settings.shutdown, memory: settings.memory, connection: ClientConnection(channel))
        let task = Task { [settings, request = head.request] in await settings.handler(Request(head: request, body: body), info) }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Sends the head of a response.
    @inline(never)
    private func send(_ response: Response, to head: RequestHead, _ ordinal: Int) throws -> Exchange {
        let framing = ResponseFraming(of: response, to: head.request.method, isHTTP10: head.isHTTP10)
        let keepAlive = head.keepAlive && framing != .untilClose && !willClose(head, response)
        let stream = try ResponseStream(
            pipe: pipe, head: encode(response, framing, keepAlive ? .keepAlive : .close, isHTTP10: head.isHTTP10), framing: framing)
        let isWebSocket = if case .webSocket = head.upgrade { true } else { false }
        return .body(
            BodyTransfer(
                body: response.body, stream: stream, refusesUpgrade: isWebSocket, keepAlive: keepAlive, requestHasBody: head.hasBody,
                ordinal: ordinal))
    }

    private func finish(_ transfer: BodyTransfer) async throws -> Bool {
        try await transfer.run()
        if transfer.refusesUpgrade { onLoop { $0.refuseUpgrade() } }
        guard transfer.keepAlive else { return false }
        if transfer.requestHasBody, !reader.isBodyRead, reader.failure == nil {
            guard try await reader.skipBody(of: transfer.ordinal, limit: settings.limits.discardedBodySize) else { return false }
        }
        return state.withLock { $0.responseEnded(now: .now()) }
    }

    /// Whether the connection will close after this response, so that the response can announce it.
    ///
    /// It closes during a shutdown, or when the rest of the body is too long to discard. The shutdown signal is checked directly, because the
    /// connection's own state may learn of a shutdown later than the request.
    private func willClose(_ head: RequestHead, _ response: Response) -> Bool {
        if reader.failure != nil || settings.shutdown.isRaised || state.withLock({ $0.isClosing }) { return true }
        if response.headers[.connection]?.lowercased() == "close" { return true }
        guard head.hasBody, !reader.isBodyRead, response.status.code >= 400 else { return false }
        return (head.contentLength ?? .max) > settings.limits.discardedBodySize
    }

    @inline(never)
    private func refuse(_ error: RequestError) async throws {
        let response = error.response
        let framing = ResponseFraming(of: response, to: .get, isHTTP10: false)
        let stream = try ResponseStream(pipe: pipe, head: encode(response, framing, .close), framing: framing)
        try await response.body.write(ResponseStreamWriter(stream: stream))
    }

    @inline(never)
    private func encode(
        _ response: Response, _ framing: ResponseFraming, _ connection: ResponseHead.Connection, isHTTP10: Bool = false
    ) -> ByteBuffer {
        var buffer = channel.allocator.buffer(capacity: 512)
        ResponseHead(
            status: response.status, fields: response.headers, framing: framing, connection: connection, isHTTP10: isHTTP10
        ).write(to: &buffer, serverName: settings.serverName, date: DateHeader.now())
        return buffer
    }

    /// Joins the connection with another one, after the bytes that are queued for the client, and returns when both have ended.
    @inline(never)
    private func join(_ end: TunnelEnd, _ head: ByteBuffer, _ leaving: StopSignal) async throws {
        defer { end.close() }
        await withCheckedContinuation { continuation in pipe.whenFlushed { continuation.resume() } }
        try await channel.eventLoop.submit { [self] in
            guard let handler = handler.value else { throw ChannelError.ioOnClosedChannel }
            let own = TunnelHandler()
            try handler.upgrade { try channel.pipeline.syncOperations.addHandler(own, position: .after($0)) }
            // The client sends its first bytes after this response, so the tunnel has to be in place before.
            channel.writeAndFlush(head, promise: nil)
            end.join(own)
        }.get()
        await leaving.during { [channel] in
            try? await channel.closeFuture.get()
        } onRaise: { [channel] in
            channel.close(promise: nil)
        }
    }

    @inline(never)
    private func accept(_ response: Response, key: String) -> ByteBuffer {
        var response = response
        if let name = HTTPField.Name("Sec-WebSocket-Accept") {
            response.headers[name] = WebSocketHandshake.accept(key: key)
        }
        return encode(response, .none(announcedLength: nil), .upgrade)
    }

    @inline(never)
    private func serve(_ route: WebSocketRoute, _ head: ByteBuffer) async throws {
        try pipe.enqueue(head)
        let socket = ChannelWebSocket(channel: channel, pipe: pipe, subprotocol: route.subprotocol, limits: route.limits)
        try await channel.eventLoop.submit { [self] in
            guard let handler = handler.value else { throw ChannelError.ioOnClosedChannel }
            try handler.upgrade { handler in
                try socket.install(as: .server, after: handler) { [weak self] in
                    guard let self else { return }
                    scheduleShutdown(after: TimeAmount(settings.limits.shutdownTimeout))
                }
            }
        }.get()
        do {
            try await route.handler(socket)
            await socket.close(code: .normalClosure, reason: "")
        } catch is CancellationError {
            socket.drop()
        } catch {
            logger.error("A WebSocket route failed.", metadata: ["error": "\(error)"])
            await socket.close(code: .unexpectedCondition, reason: "internal error")
        }
    }
}
