import Coordination
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOSSL

/// Performs a ``WebSocketOpening`` on a channel, and turns the channel into a WebSocket if the server accepts.
final class WebSocketOpeningHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let opening: WebSocketOpening
    private let channel: any Channel
    private let encoder = HTTPRequestEncoder(configuration: .init())
    private let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(opening: WebSocketOpening, channel: any Channel) {
        self.opening = opening
        self.channel = channel
    }

    func install(in pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        ask(context)
        context.fireChannelActive()
    }

    /// Behind a proxy the channel is already active when the handler is added.
    func handlerAdded(context: ChannelHandlerContext) {
        if channel.isActive { ask(context) }
    }

    private func ask(_ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(opening.request)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let buffer):
            guard let head, isReadable(head) else { return }
            body += buffer.readableBytesView.prefix(opening.options.refusalBodySize - body.count)
            if body.count == opening.options.refusalBodySize { refused(context) }
        case .end:
            if head?.status == .switchingProtocols { accepted(context) } else { refused(context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        opening.fail(error, channel)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A refusal's body may end with the connection.
        if head != nil { refused(context) } else { opening.fail(ChannelError.eof, channel) }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is WebSocketOpeningGivenUp {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func isReadable(_ head: HTTPResponseHead) -> Bool {
        let type = head.headers.first(name: "content-type")?.lowercased() ?? ""
        return type.hasPrefix("application/json") || type.hasPrefix("text/plain")
    }

    private func refused(_ context: ChannelHandlerContext) {
        guard let head, let response = try? HTTPResponse(head) else { return opening.fail(HTTPParserError.invalidStatus, channel) }
        opening.fail(WebSocketRefusal(response: response, body: body), channel)
    }

    private func accepted(_ context: ChannelHandlerContext) {
        guard let head else { return }
        do {
            let subprotocol = try opening.subprotocol(of: head)
            let response = try HTTPResponse(head)
            let socket = ChannelWebSocket(
                channel: channel, pipe: OutboundBuffer(channel: channel), subprotocol: subprotocol, limits: opening.options.limits)
            let pipeline = context.pipeline.syncOperations
            let certificate = opening.target.isSecure ? try pipeline.nioSSL_peerCertificate()?.toDERBytes() : nil
            try socket.install(as: .client, after: self)
            pipeline.removeHandler(encoder, promise: nil)
            pipeline.removeHandler(self, promise: nil)
            // The parser is removed last: it forwards its unparsed bytes to the socket, which delivers them on channelReadComplete.
            pipeline.removeHandler(decoder).whenComplete { [channel] _ in channel.pipeline.fireChannelReadComplete() }
            opening.result.resolve(.success(.init(connection: socket, response: response, certificate: certificate)))
        } catch {
            opening.fail(error, channel)
        }
    }
}
