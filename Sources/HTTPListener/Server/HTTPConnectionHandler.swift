import Coordination
import HTTP
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOSSL

/// The event loop's part of an ``HTTPConnection``: forwards the parser's output, enforces the timeouts, and replaces the parser on an
/// upgrade to WebSocket.
final class HTTPConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: HTTPConnection
    private let limits: HTTPServerLimits
    private var context: ChannelHandlerContext?
    private var decoder: ByteToMessageHandler<HTTPRequestDecoder>?
    private var byteWatch: RequestLineEscapingHandler?
    private var tick: DeadlineTimer?
    /// The parts that have arrived since the task was last woken.
    private var batch: [RequestPart] = []
    private var headBytes = 0
    private var upgrade = RequestHead.Upgrade.none
    /// Reading pauses while the route is slow, and while an upgrade is undecided: the bytes after it may not be HTTP.
    private var isPaused = false
    private var awaitsUpgrade = false

    /// Whether NIO's parser may have stopped at a request whose upgrade is not performed. The parser evaluates the header fields by other
    /// rules than ``RequestHead``, so it may also continue with another request.
    private var mayHaveStopped = false
    private var missedRead = false
    /// Whether all further input is discarded.
    private var isDiscarding = false
    private var isInputClosed = false
    private var isLingering = false

    init(connection: HTTPConnection, limits: HTTPServerLimits) {
        self.connection = connection
        self.limits = limits
    }

    /// Adds this handler and the handlers that it needs.
    func install(in pipeline: ChannelPipeline.SynchronousOperations) throws {
        let byteWatch = RequestLineEscapingHandler { [weak self] in self?.bytesArrived($0) }
        try pipeline.addHandler(byteWatch)
        try pipeline.addHandler(self)
        self.byteWatch = byteWatch
        try addDecoder(to: pipeline)
        connection.attach(self)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        tick = DeadlineTimer(
            on: context.eventLoop,
            within: [limits.headTimeout, limits.bodyTimeout, limits.keepAliveTimeout, limits.writeTimeout].map { TimeAmount($0) }
        ) { [weak self] in self?.checkTime() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        tick?.cancel()
        self.context = nil
    }

    private func bytesArrived(_ count: Int) {
        headBytes += count
        connection.state.withLock { $0.bytesArrived(now: .now()) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !awaitsUpgrade else {
                return fail(RequestError(.badRequest, reason: "Another request follows a WebSocket request before the answer."))
            }
            // The parser has not stopped. Installing a second parser after it would pass parsed parts to it as bytes, which crashes the process.
            mayHaveStopped = false
            do {
                let head = try RequestHead(head, isSecure: connection.isSecure)
                upgrade = head.upgrade
                connection.state.withLock { $0.headArrived(now: .now()) }
                if connection.isSecure { connection.setPeerCertificate(try? context.pipeline.syncOperations.nioSSL_peerCertificate()) }
                batch.append(.head(head))
            } catch let error as RequestError {
                fail(error)
            } catch {
                fail(RequestError(.badRequest, reason: "The request's head is malformed.", cause: error))
            }
        case .body(let buffer): batch.append(.body(buffer))
        case .end:
            connection.state.withLock { $0.requestArrived(now: .now()) }
            byteWatch?.requestEnded()
            batch.append(.end)
            switch upgrade {
            case .none: break
            case .webSocket: awaitsUpgrade = true
            case .malformedWebSocket, .other: mayHaveStopped = true
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if mayHaveStopped { swapDecoder() }
        deliver()
        if connection.state.withLock({ $0.isReadingHead }) {
            if headBytes > limits.headSize {
                fail(RequestError(.headTooLarge, reason: "The request's head is longer than \(limits.headSize) bytes."))
            }
        } else {
            headBytes = 0
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? HTTPParserError {
        case .invalidEOFState: break  // The client left in the middle of a request; the end of input tells.
        case .headerOverflow:
            fail(RequestError(.headTooLarge, reason: "The request has too many or too long header fields.", cause: error))
        case let error?: fail(RequestError(.badRequest, reason: "The request is not valid HTTP/1.1.", cause: error))
        // After its first error the parser reports an error for all further input.
        case nil: if !(isDiscarding && error is ByteToMessageDecoderError) { context.close(promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputClosed()
        connection.pipe.fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            inputClosed()
            if isDiscarding { context.close(promise: nil) }
        case is ChannelShouldQuiesceEvent:
            connection.scheduleShutdown(after: TimeAmount(limits.shutdownTimeout))
            if connection.state.withLock({ $0.quiesce() }) { end() }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func inputClosed() {
        isInputClosed = true
        deliver()
        connection.clientDisconnected()
    }

    private func deliver() {
        guard !batch.isEmpty else { return }
        let parts = batch
        batch = []
        if !connection.queue.push(parts, size: parts.reduce(0) { $0 + $1.size }) { isPaused = true }
    }

    private func fail(_ error: RequestError) {
        guard !isDiscarding else { return }
        isDiscarding = true
        connection.state.withLock { $0.failed() }
        batch.append(.failure(error))
        deliver()
    }

    func read(context: ChannelHandlerContext) {
        if isDiscarding || !isPaused && !awaitsUpgrade {
            context.read()
        } else {
            missedRead = true
        }
    }

    /// Resumes reading after the route has consumed the queue.
    func resume() {
        isPaused = false
        readIfMissed()
    }

    private func readIfMissed() {
        guard missedRead, isDiscarding || !isPaused && !awaitsUpgrade else { return }
        missedRead = false
        context?.read()
    }

    private func checkTime() {
        let now = NIODeadline.now()
        if let stalled = connection.pipe.stalledSince, now - stalled >= TimeAmount(limits.writeTimeout) {
            context?.close(promise: nil)
            return
        }
        let expiry = connection.state.withLock { state in
            if isPaused { state.readingPaused(now: now) }
            return state.expiry(now: now)
        }
        switch expiry {
        case .close: end()
        case .timeout(let reason): fail(RequestError(.requestTimeout, reason: reason))
        case nil: break
        }
    }

    /// Closes an idle connection. A response may still be in transit. A request that arrives now is not served, so that the client can repeat
    /// it on another connection.
    private func end() {
        guard !isDiscarding else { return }
        isDiscarding = true
        // During a TLS handshake queued bytes cannot be written, so waiting for them is useless.
        if connection.pipe.stalledSince == nil { context?.close(promise: nil) } else { connection.end() }
    }

    /// Closes the connection after the last response.
    func linger() {
        guard let context, !isLingering else { return }
        isDiscarding = true
        isLingering = true
        guard !isInputClosed else { return context.close(promise: nil) }
        context.linger(for: TimeAmount(limits.lingerTimeout))
        readIfMissed()
    }

    /// Continues with HTTP after a refused WebSocket request.
    func refuseUpgrade() {
        guard awaitsUpgrade else { return }
        awaitsUpgrade = false
        if !isDiscarding { swapDecoder() }
        deliver()
        readIfMissed()
    }

    /// Replaces this handler with another one.
    ///
    /// - Parameter install: Adds the other handler behind this one. From then on the other handler controls reading.
    func upgrade(_ install: (HTTPConnectionHandler) throws -> Void) throws {
        guard let context, !isDiscarding else { throw ChannelError.ioOnClosedChannel }
        awaitsUpgrade = false
        isPaused = false
        let pipeline = context.pipeline.syncOperations
        try install(self)
        if let byteWatch { pipeline.removeHandler(byteWatch, promise: nil) }
        // The parser is removed last, because it forwards its unparsed bytes to the other handler.
        pipeline.removeHandler(self, promise: nil)
        removeDecoder(from: context.pipeline, isInputClosed: isInputClosed)
    }

    /// Replaces the parser. NIO's parser stops after a request with an `Upgrade` header that it supports, regardless of the response.
    private func swapDecoder() {
        (upgrade, mayHaveStopped) = (.none, false)
        guard let context, !isInputClosed else { return }
        let old = decoder
        do {
            try addDecoder(to: context.pipeline.syncOperations)
        } catch {
            return context.close(promise: nil)
        }
        removeDecoder(old, from: context.pipeline)
    }

    private func addDecoder(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        var parserLimits = NIOHTTPDecoderLimitConfiguration()
        parserLimits.maxHeaderFieldSize = limits.headSize
        parserLimits.maxHeaderListSize = limits.headSize
        parserLimits.maxHeaderFieldCount = limits.headFieldCount
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: parserLimits))
        try pipeline.addHandler(decoder, position: .before(self))
        self.decoder = decoder
    }

    private func removeDecoder(from pipeline: ChannelPipeline, isInputClosed: Bool) {
        removeDecoder(decoder, from: pipeline, isInputClosed: isInputClosed)
        decoder = nil
    }

    /// - Parameter isInputClosed: Whether the client ended its side before the next handler was installed. The next handler gets the event after the last
    ///   bytes.
    private func removeDecoder(
        _ decoder: ByteToMessageHandler<HTTPRequestDecoder>?, from pipeline: ChannelPipeline, isInputClosed: Bool = false
    ) {
        guard let decoder else { return }
        // Removing the parser forwards left-over bytes without the channelReadComplete that delivers them. Fire it here. TLS does not forward the
        // event without bytes of its own, so it starts after TLS.
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        pipeline.syncOperations.removeHandler(decoder).assumeIsolated().whenComplete { _ in
            if let tls { tls.fireChannelReadComplete() } else { pipeline.fireChannelReadComplete() }
            guard isInputClosed else { return }
            if let tls {
                tls.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            } else {
                pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
    }
}
