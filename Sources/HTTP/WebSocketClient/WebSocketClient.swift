import Coordination
import Foundation
package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Telemetry
import Tracing

/// Opens WebSockets to servers.
package enum WebSocketClient {
    /// How to reach and authenticate a server, and the contents of the request.
    package struct Options: Sendable {
        /// Additional headers of the request, including `Authorization` and `Cookie`.
        package var headers: HTTPFields = [:]
        /// The offered protocols, the preferred one first. If there are any, the server must choose one of them.
        package var subprotocols: [String] = []
        /// The TLS settings, for `wss:` only.
        package var tls = ClientTLS()
        /// The connect timeout.
        package var connectTimeout: Duration = .seconds(15)
        /// The timeout from the connection to the server's response, including TLS.
        package var answerTimeout: Duration = .seconds(15)
        /// The proxy; `nil` for a direct connection.
        package var proxy: OutboundProxy?
        /// The local network interface to connect from, by name or address.
        package var localInterface: String?
        /// How much of a refusal's body is read, in bytes.
        package var refusalBodySize = 64 * 1024
        /// Limits for the server on the open socket.
        package var limits = WebSocketLimits()

        package init() {}
    }

    /// An open socket, with information about the server.
    package struct Opened: Sendable {
        package let connection: any WebSocketConnection

        /// The server's 101 response.
        package let response: HTTPResponse

        /// The server's certificate, in DER; `nil` without TLS.
        package let certificate: [UInt8]?
    }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - url: A `ws:` or `wss:` URL; a user and password in it are not sent.
    ///   - options: How to reach and authenticate the server, and the contents of the request.
    /// - Throws: ``WebSocketRefusal`` if the server responds with another status, including redirects; ``WebSocketError`` if there is no valid
    ///   response; `CancellationError`.
    package static func connect(
        to url: String, options: Options = Options()
    ) async throws -> Opened {
        guard let tracer = BridgeTracer.current else { return try await open(url, options) }
        return try await tracer.withSpan(SpanName.opening, .client) {
            var options = options
            BridgeTracer.inject(into: &options.headers, TraceHeaders())
            return try await open(url, options)
        }
    }

    private static func open(_ url: String, _ options: Options) async throws -> Opened {
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

    /// The name of the server or proxy that is connected to, for messages.
    private static func place(_ target: WebSocketURL, _ options: Options) -> String {
        options.proxy.map { "The proxy \($0)" } ?? "\(target)"
    }
}

/// The machine's network interfaces.
package enum LocalInterface {
    /// Whether a numeric address belongs to this machine.
    package static func has(_ address: String) -> Bool {
        guard let wanted = try? SocketAddress(ipAddress: address, port: 0).ipAddress else { return false }
        return ((try? System.enumerateDevices()) ?? []).contains { $0.address?.ipAddress == wanted }
    }

    /// The address to connect from: the address of the named interface, IPv4 before IPv6, or the given address itself.
    ///
    /// - Throws: ``WebSocketError`` if there is no such interface.
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
