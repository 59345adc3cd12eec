import Foundation
public import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Opens WebSockets to servers.
public enum WebSocketClient {
    /// How to reach and trust a server, and what to ask it.
    public struct Options: Sendable {
        /// Further headers of the request, `Authorization` and `Cookie` among them.
        public var headers: HTTPFields = [:]
        /// The protocols offered, the preferred one first. When there are any, the server must choose one of them.
        public var subprotocols: [String] = []
        /// What TLS needs; used for `wss:` only.
        public var tls = ClientTLS()
        /// How long connecting may take.
        public var connectTimeout: Duration = .seconds(15)
        /// How long the server may take to answer once connected, TLS included.
        public var answerTimeout: Duration = .seconds(15)
        /// The network interface, by name or address, to connect from.
        public var localInterface: String?
        /// How much of a refusal's body is read, in bytes.
        public var refusalBodySize = 64 * 1024
        /// What the server may do on the open socket.
        public var limits = WebSocketLimits()

        public init() {}
    }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - url: A `ws:` or `wss:` URL; what it has of user and password is not sent.
    ///   - options: How to reach and trust the server, and what to ask it.
    /// - Returns: The open socket and the server's 101 answer.
    /// - Throws: ``WebSocketRefusal`` when the server answers with another status, also a redirection; ``WebSocketError`` when there is no
    ///   proper answer; `CancellationError`.
    public static func connect(
        to url: String, options: Options = Options()
    ) async throws -> (connection: any WebSocketConnection, response: HTTPResponse) {
        let target = try WebSocketURL(url)
        let opening = WebSocketOpening(target: target, options: options)
        let channel = try await connect(to: target, options: options, opening: opening)
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(options.answerTimeout)) {
            opening.fail(WebSocketError(.timeout, reason: "\(url) did not answer within \(options.answerTimeout)."), channel)
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await opening.result.value()
            } onCancel: {
                opening.fail(CancellationError(), channel)
            }
        } catch var error as WebSocketError where error.code == .untrusted && error.tlsFault == nil {
            let shown = await ShownCertificates.of(host: target.host, port: target.port, timeout: options.answerTimeout)
            error.tlsFault = TLSFault(refused: shown, now: Int(Date().timeIntervalSince1970))
            throw error
        }
    }

    private static func connect(
        to target: WebSocketURL, options: Options, opening: WebSocketOpening
    ) async throws -> any Channel {
        let context = target.isSecure ? try options.tls.context() : nil
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(options.connectTimeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(options.tls.handler(context, host: target.host)) }
                    try WebSocketOpeningHandler(opening: opening, channel: channel).install(in: pipeline)
                }
            }
        if let name = options.localInterface { bootstrap = bootstrap.bind(to: try LocalInterface.address(of: name)) }
        do {
            return try await bootstrap.connect(host: target.host, port: target.port).get()
        } catch let error as ChannelError {
            guard case .connectTimeout = error else { throw unreachable(target, error) }
            throw WebSocketError(.timeout, reason: "No connection to \(target) within \(options.connectTimeout).", cause: error)
        } catch let error as NIOConnectionError where error.connectionErrors.isEmpty {
            throw WebSocketError(
                await HostLookup.failure(of: target.host), reason: "The host of \(target) cannot be found; check its name.", cause: error)
        } catch {
            throw unreachable(target, error)
        }
    }

    private static func unreachable(_ target: WebSocketURL, _ error: any Error) -> WebSocketError {
        WebSocketError(.unreachable, reason: "\(target) cannot be reached; check host, port and network.", cause: error)
    }
}
