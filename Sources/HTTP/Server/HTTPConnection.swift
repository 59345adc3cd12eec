import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// One client's connection: takes requests one after the other, has them answered, and becomes a WebSocket when a route says so.
///
/// Each request is answered by a task of its own, which is cancelled when the client leaves: a task keeps the memory of its deepest calls until
/// it ends, and a connection waits for its next request, or in a feed, for as long as the client likes.
final class HTTPConnection: ServerChildChannelValue {
    let channel: any Channel
    let queue = InboundQueue<RequestPart>(capacity: 256 * 1024)
    let pipe: OutboundPipe
    let state: Mutex<ConnectionState>

    /// Bodies up to this many bytes leave at once.
    private static let shortBody = 64 * 1024

    private let settings: ConnectionSettings
    private let logger: Logger
    private let reader: RequestReader
    private let handler: NIOLoopBoundBox<HTTPConnectionHandler?>
    private let serving = Mutex(Serving())
    private let peerCertificate = Mutex<NIOSSLCertificate?>(nil)

    private struct Serving {
        /// Cancels what is being done for the client.
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    /// Made on the channel's event loop.
    init(channel: any Channel, settings: ConnectionSettings, logger: Logger) {
        self.channel = channel
        self.settings = settings
        self.logger = logger
        pipe = OutboundPipe(channel: channel)
        reader = RequestReader(queue: queue)
        handler = NIOLoopBoundBox(nil, eventLoop: channel.eventLoop)
        let limits = settings.limits
        state = Mutex(
            ConnectionState(
                limits: .init(
                    head: TimeAmount(limits.headTimeout), body: TimeAmount(limits.bodyTimeout),
                    keepAlive: TimeAmount(limits.keepAliveTimeout)),
                now: .now()))
    }

    var isSecure: Bool { settings.tls != nil }

    // MARK: Called on the event loop

    func attach(_ handler: HTTPConnectionHandler) {
        self.handler.value = handler
        queue.onResume { [weak self] in self?.onLoop { $0.resume() } }
        channel.closeFuture.whenComplete { [handler = self.handler] _ in handler.value = nil }
    }

    func notePeer(_ certificate: NIOSSLCertificate?) {
        peerCertificate.withLock { $0 = certificate }
    }

    /// Nothing more comes from the client: what has come is served, but nobody waits for it, so the task is cancelled.
    func clientLeft() {
        queue.finish()
        cancel()
    }

    /// Ends the connection by force if it has not ended by then.
    func scheduleShutdown(after delay: TimeAmount) {
        let timer = channel.eventLoop.scheduleTask(in: delay) {
            self.cancel()
            self.channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    /// Ends the connection when what was written has left.
    func end() {
        pipe.seal()
        pipe.whenFlushed { [weak self] in self?.onLoop { $0.linger() } }
    }

    // MARK: The task

    /// Serves the connection until it is closed.
    func run() async {
        await withTaskCancellationHandler {
            await serve()
        } onCancel: {
            cancel()
            channel.close(promise: nil)
        }
        try? await channel.closeFuture.get()
    }

    /// Has something done by a task of its own, which is cancelled when the client leaves, or has left.
    private func apart<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task.detached(operation: work)
        let isCancelled = serving.withLock { serving in
            serving.cancel = { task.cancel() }
            return serving.isCancelled
        }
        if isCancelled { task.cancel() }
        defer { serving.withLock { $0.cancel = nil } }
        return try await task.value
    }

    private func cancel() {
        let cancel = serving.withLock { serving in
            serving.isCancelled = true
            return serving.cancel
        }
        cancel?()
    }

    private func onLoop(_ action: @escaping @Sendable (HTTPConnectionHandler) -> Void) {
        channel.eventLoop.execute { [handler] in
            if let handler = handler.value { action(handler) }
        }
    }

    private func serve() async {
        do {
            var isOpen = true
            while isOpen, let (head, ordinal) = try await reader.next() {
                isOpen = try await answer(head, ordinal)
            }
            // What went wrong in a request's body has been answered with that request.
            if isOpen, let failure = reader.failure { try await refuse(failure) }
            end()
        } catch is CancellationError {
            channel.close(promise: nil)
        } catch {
            logger.debug("A connection ended before its time.", metadata: ["error": "\(error)"])
            channel.close(promise: nil)
        }
    }

    /// Answers one request; returns whether the connection can take another.
    private func answer(_ head: RequestHead, _ ordinal: Int) async throws -> Bool {
        if head.expectsContinue {
            try pipe.enqueue(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        }
        let response = try await respond(to: head, ordinal)
        if response.status == .switchingProtocols {
            guard case .webSocket(let key) = head.upgrade, let route = try await response.webSocketRoute() else {
                return try await send(.refusal(of: head.upgrade), to: head, ordinal)
            }
            try await serve(route, response, key: key)
            return false
        }
        return try await send(response, to: head, ordinal)
    }

    private func respond(to head: RequestHead, _ ordinal: Int) async throws -> Response {
        let body =
            head.hasBody
            ? RequestBody(asyncSequence: RequestBodyStream(reader: reader, ordinal: ordinal)) : RequestBody(buffer: ByteBuffer())
        let info = RequestInfo(
            remoteAddress: channel.remoteAddress, isSecure: isSecure, peerCertificate: peerCertificate.withLock { $0 },
            shutdown: settings.shutdown)
        return try await apart { [settings] in await settings.handler(Request(head: head.request, body: body), info) }
    }

    private func send(_ response: Response, to head: RequestHead, _ ordinal: Int) async throws -> Bool {
        let framing = ResponseFraming(of: response, to: head.request.method, isHTTP10: head.isHTTP10)
        let keepAlive = head.keepAlive && framing != .untilClose && !willGiveUp(head, response)
        let bytes = encode(response, framing, keepAlive ? .keepAlive : .close, isHTTP10: head.isHTTP10)
        if case .none = framing {
            try ResponseStream(pipe: pipe, head: bytes, framing: framing).finish(nil)
        } else {
            guard try await write(response.body, after: bytes, framing) else {
                throw RequestError(.invalidResponse, reason: "The route did not finish its body.")
            }
        }
        if case .webSocket = head.upgrade { onLoop { $0.refuseUpgrade() } }
        guard keepAlive else { return false }
        if head.hasBody, !reader.isBodyRead, reader.failure == nil {
            guard try await reader.skipBody(of: ordinal, limit: settings.limits.discardedBodySize) else { return false }
        }
        return state.withLock { $0.responseEnded(now: .now()) }
    }

    /// Sends a head and its body; returns whether the body has ended as announced.
    private func write(_ body: ResponseBody, after head: ByteBuffer, _ framing: ResponseFraming) async throws -> Bool {
        let write: @Sendable () async throws -> Bool = { [pipe] in
            let stream = try ResponseStream(pipe: pipe, head: head, framing: framing)
            try await body.write(ResponseStreamWriter(stream: stream))
            return stream.isFinished
        }
        // What is short is there, and needs no task.
        if case .length(...Self.shortBody) = framing { return try await write() }
        return try await apart(write)
    }

    /// Whether the connection will end because the rest of the body is not worth reading, so that the client can be told.
    private func willGiveUp(_ head: RequestHead, _ response: Response) -> Bool {
        if reader.failure != nil || state.withLock({ $0.isClosing }) { return true }
        guard head.hasBody, !reader.isBodyRead, response.status.code >= 400 else { return false }
        return (head.contentLength ?? .max) > settings.limits.discardedBodySize
    }

    private func refuse(_ error: RequestError) async throws {
        let response = error.response
        let framing = ResponseFraming(of: response, to: .get, isHTTP10: false)
        let stream = try ResponseStream(pipe: pipe, head: encode(response, framing, .close), framing: framing)
        try await response.body.write(ResponseStreamWriter(stream: stream))
    }

    private func encode(
        _ response: Response, _ framing: ResponseFraming, _ connection: ResponseHead.Connection, isHTTP10: Bool = false
    ) -> ByteBuffer {
        var buffer = channel.allocator.buffer(capacity: 512)
        ResponseHead(
            status: response.status, fields: response.headers, framing: framing, connection: connection, isHTTP10: isHTTP10
        ).write(to: &buffer, serverName: settings.serverName, date: DateHeader.now())
        return buffer
    }

    // MARK: WebSocket

    private func serve(_ route: WebSocketRoute, _ response: Response, key: String) async throws {
        var response = response
        if let name = HTTPField.Name("Sec-WebSocket-Accept") {
            response.headers[name] = WebSocketHandshake.accept(key: key)
        }
        try pipe.enqueue(encode(response, .none(announcedLength: nil), .upgrade))
        let socket = ChannelWebSocket(channel: channel, pipe: pipe, subprotocol: route.subprotocol, limits: route.limits)
        try await channel.eventLoop.submit { [self] in
            guard let handler = handler.value else { throw ChannelError.ioOnClosedChannel }
            let bridge = WebSocketHandler(socket: socket, role: .server) { [weak self] in
                guard let self else { return }
                scheduleShutdown(after: TimeAmount(settings.limits.shutdownTimeout))
            }
            try handler.upgrade(to: bridge)
        }.get()
        do {
            try await apart { try await route.handler(socket) }
            await socket.close(code: .normalClosure, reason: "")
        } catch is CancellationError {
            socket.drop()
        } catch {
            logger.error("A WebSocket route failed.", metadata: ["error": "\(error)"])
            await socket.close(code: .unexpectedCondition, reason: "internal error")
        }
    }
}
