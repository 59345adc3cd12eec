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
        /// The proxy to go through; `nil` to go straight to the server.
        public var proxy: OutboundProxy?
        /// The network interface, by name or address, to connect from.
        public var localInterface: String?
        /// How much of a refusal's body is read, in bytes.
        public var refusalBodySize = 64 * 1024
        /// What the server may do on the open socket.
        public var limits = WebSocketLimits()

        public init() {}
    }

    /// An open socket, and what is known of the server.
    public struct Opened: Sendable {
        public let connection: any WebSocketConnection

        /// The server's 101 answer.
        public let response: HTTPResponse

        /// The certificate that the server has shown, in DER; `nil` without TLS.
        public let certificate: [UInt8]?
    }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - url: A `ws:` or `wss:` URL; what it has of user and password is not sent.
    ///   - options: How to reach and trust the server, and what to ask it.
    /// - Throws: ``WebSocketRefusal`` when the server answers with another status, also a redirection; ``WebSocketError`` when there is no
    ///   proper answer; `CancellationError`.
    public static func connect(
        to url: String, options: Options = Options()
    ) async throws -> Opened {
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
        } catch var error as WebSocketError where error.code == .untrusted && error.tlsFault == nil && options.proxy == nil {
            let shown = await PeerCertificates.of(host: target.host, port: target.port, timeout: options.answerTimeout)
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
                    guard let proxy = options.proxy else { return try opening.begin(on: channel, context) }
                    let tunnel = ProxyTunnel(proxy: proxy, target: target, timeout: options.answerTimeout)
                    try tunnel.open(on: channel).whenComplete { opening.begin(on: channel, context, after: $0) }
                }
            }
        if let name = options.localInterface { bootstrap = bootstrap.bind(to: try LocalInterface.address(of: name)) }
        do {
            return try await bootstrap.connect(host: options.proxy?.host ?? target.host, port: options.proxy?.port ?? target.port).get()
        } catch let error as ChannelError {
            guard case .connectTimeout = error else { throw unreachable(target, options, error) }
            throw WebSocketError(
                .timeout, reason: "No connection to \(place(target, options)) within \(options.connectTimeout).", cause: error)
        } catch let error as NIOConnectionError where error.connectionErrors.isEmpty {
            let host = options.proxy?.host ?? target.host
            throw WebSocketError(
                await HostLookup.failure(of: host),
                reason: "The host of \(options.proxy.map { "the proxy \($0)" } ?? "\(target)") cannot be found; check its name.",
                cause: error)
        } catch {
            throw unreachable(target, options, error)
        }
    }

    private static func unreachable(_ target: WebSocketURL, _ options: Options, _ error: any Error) -> WebSocketError {
        WebSocketError(.unreachable, reason: "\(place(target, options)) cannot be reached; check host, port and network.", cause: error)
    }

    /// Whom the connection is made to.
    private static func place(_ target: WebSocketURL, _ options: Options) -> String {
        options.proxy.map { "The proxy \($0)" } ?? "\(target)"
    }
}

/// The machine's network interfaces.
public enum LocalInterface {
    /// Whether an address, as a number, is one of this machine's.
    public static func has(_ address: String) -> Bool {
        guard let wanted = try? SocketAddress(ipAddress: address, port: 0).ipAddress else { return false }
        return ((try? System.enumerateDevices()) ?? []).contains { $0.address?.ipAddress == wanted }
    }

    /// The address to connect from: that of the interface of this name, IPv4 before IPv6, or the address itself.
    ///
    /// - Throws: ``WebSocketError`` when there is no such interface.
    static func address(of name: String) throws -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: name, port: 0) { return address }
        let addresses = try System.enumerateDevices().filter { $0.name == name }.compactMap(\.address)
        guard
            let address = addresses.first(where: { $0.protocol == .inet }) ?? addresses.first(where: { $0.protocol == .inet6 })
        else {
            throw WebSocketError(.unknownInterface, reason: "There is no network interface \(name) with an address.")
        }
        return address
    }
}
