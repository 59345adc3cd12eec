import Coordination
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL

/// Passes a request for a WebSocket on to the old server.
///
/// If the old server accepts it, the client's connection and the new one become a tunnel: bytes go through unread. A refusal is a response like
/// any other.
struct TunnelOpening: Sendable {
    private static let connectTimeout = TimeAmount.seconds(10)

    /// How long the old server may take to accept or refuse.
    private static let answerTimeout = TimeAmount.seconds(60)

    let server: OldServer
    let tls: ClientTLS
    let target: String
    let authority: String?
    let fields: HTTPFields

    /// Changes the client's first message.
    let firstMessage: WebSocketFirstMessage?

    /// Connects to the old server and sends it the request.
    ///
    /// - Parameters:
    ///   - loop: The event loop of the client's connection.
    ///   - leaving: Ends the tunnel.
    /// - Throws: NIO's error if there is no response; `CancellationError`.
    func open(on loop: any EventLoop, leaving: StopSignal) async throws -> Response {
        let context = server.isSecure ? try tls.context() : nil
        let answer = Promise<TunnelAnswer, any Error>()
        let channel = try await ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelInitializer { [tls, server, head, firstMessage] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(tls.handler(context, host: server.host)) }
                    try TunnelOpeningHandler(head, answer, firstMessage).install(in: pipeline)
                }
            }
            .connect(host: server.host, port: server.port).get()
        let timer = loop.scheduleTask(in: Self.answerTimeout) { channel.close(promise: nil) }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await answer.value().response(leaving)
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders()
        if let authority { headers.add(name: "Host", value: authority) }
        for field in fields { headers.add(name: field.name.rawName, value: field.value) }
        headers.add(name: "Connection", value: "Upgrade")
        headers.add(name: "Upgrade", value: "websocket")
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers)
    }
}

/// The old server's response to a request for a WebSocket.
private struct TunnelAnswer: Sendable {
    let head: HTTPResponseHead

    /// The body of a refusal.
    var body = ByteBuffer()

    /// The connection, if the request was accepted.
    var end: TunnelEnd?

    func response(_ leaving: StopSignal) -> Response {
        let fields = RelayedFields(head.headers).fields
        guard let end else {
            return Response(
                status: .relayed(head.status), headers: fields,
                body: ResponseBody(byteBuffer: body))
        }
        return .tunnel(to: end, headers: fields, leaving: leaving)
    }
}

/// Sends the request of a ``TunnelOpening`` and reads the response. After an acceptance, a ``TunnelHandler`` takes its place.
private final class TunnelOpeningHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// How much of a refusal's body is passed on, in bytes.
    private static let bodyLimit = 1 << 20

    private let request: HTTPRequestHead
    private let answer: Promise<TunnelAnswer, any Error>
    private let encoder = HTTPRequestEncoder(configuration: .init())
    private let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    private let firstMessage: WebSocketFirstMessage?
    private var received: TunnelAnswer?

    init(_ request: HTTPRequestHead, _ answer: Promise<TunnelAnswer, any Error>, _ firstMessage: WebSocketFirstMessage?) {
        self.firstMessage = firstMessage
        self.request = request
        self.answer = answer
    }

    func install(in pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): received = TunnelAnswer(head: head)
        case .body(var bytes):
            received?.body.writeBuffer(&bytes)
            if (received?.body.readableBytes ?? 0) > Self.bodyLimit { fail(ByteToMessageDecoderError.PayloadTooLargeError(), context) }
        case .end:
            if received?.head.status == .switchingProtocols { accepted(context) } else { refused(context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof, context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The old server sends nothing more.
        if case ChannelEvent.inputClosed = event { fail(ChannelError.eof, context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        answer.resolve(.failure(error))
        context.close(promise: nil)
    }

    private func refused(_ context: ChannelHandlerContext) {
        guard let received else { return fail(ChannelError.eof, context) }
        answer.resolve(.success(received))
        context.close(promise: nil)
    }

    private func accepted(_ context: ChannelHandlerContext) {
        guard var received else { return }
        let (pipeline, end) = (context.pipeline.syncOperations, TunnelHandler())
        do {
            try pipeline.addHandler(end, position: .after(self))
        } catch {
            return fail(error, context)
        }
        received.end = TunnelEnd(context.channel, end, firstMessage: firstMessage)
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(self, promise: nil)
        // The parser is removed last: it forwards its unparsed bytes to the tunnel.
        pipeline.removeHandler(decoder, promise: nil)
        answer.resolve(.success(received))
    }
}
