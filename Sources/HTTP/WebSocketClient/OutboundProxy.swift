import Foundation
import NIOCore
import NIOExtras
import NIOHTTP1

/// An HTTP proxy for outgoing connections, which are tunnelled with `CONNECT`.
public struct OutboundProxy: Sendable, Hashable {
    /// A host name or an address, without the brackets of an IPv6 address.
    public let host: String

    /// The TCP port.
    public let port: Int

    /// The credentials for the proxy; `nil` if it requires none.
    package let credentials: BasicCredentials?

    /// - Parameter url: `http://host:port`, with `user:password@` before the host if the proxy requires a login. The default port is 80.
    /// - Returns: `nil` if the text is not such a URL. The connection to the proxy itself does not use TLS.
    public init?(_ url: String) {
        guard let parsed = WebURL(url, schemes: ["http"]), ["", "/"].contains(parsed.parts.path), parsed.parts.query == nil,
            parsed.parts.fragment == nil
        else { return nil }
        let user = parsed.parts.user
        guard user?.contains(":") != true else { return nil }
        (host, port) = (parsed.bareHost, parsed.port)
        credentials = user.map { BasicCredentials(user: $0, password: parsed.parts.password ?? "") }
    }
}

extension OutboundProxy: CustomStringConvertible {
    /// The proxy without its credentials.
    public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// A tunnel through a proxy to a server (`CONNECT`, RFC 9110 9.3.6).
struct ProxyTunnel: Sendable {
    let proxy: OutboundProxy
    let target: WebSocketURL
    let timeout: Duration

    /// Requests the tunnel once the proxy is connected. Must be called on the channel's event loop during the channel's setup.
    ///
    /// - Returns: A future that completes when the channel's bytes reach the server and the proxy's handlers are removed. It fails with
    ///   ``WebSocketError``; the channel is closed then.
    func open(on channel: any Channel) throws -> EventLoopFuture<Void> {
        let encoder = HTTPRequestEncoder(configuration: .init())
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let opened = channel.eventLoop.makePromise(of: Void.self)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(
            NIOHTTP1ProxyConnectHandler(
                targetHost: target.host.contains(":") ? "[\(target.host)]" : target.host, targetPort: target.port, headers: headers,
                deadline: .now() + TimeAmount(timeout), promise: opened))
        return opened.futureResult.assumeIsolated()
            .flatMap { pipeline.removeHandler(decoder).assumeIsolated().flatMap { pipeline.removeHandler(encoder) }.nonisolated() }
            .flatMapErrorThrowing { throw failure($0) }
            .nonisolated()
    }

    private var headers: HTTPHeaders {
        var headers: HTTPHeaders = ["Host": "\(target.host.contains(":") ? "[\(target.host)]" : target.host):\(target.port)"]
        if let credentials = proxy.credentials { headers.add(name: "Proxy-Authorization", value: credentials.authorization) }
        return headers
    }

    private func failure(_ error: any Error) -> WebSocketError {
        if let error = error as? NIOHTTP1ProxyConnectHandler.Error, error == .proxyAuthenticationRequired() {
            return WebSocketError(
                .proxyLogin, reason: "The proxy \(proxy) requires a name and a password, or refuses the configured ones (407).",
                cause: error)
        }
        return WebSocketError(.unreachable, reason: "The proxy \(proxy) does not connect to \(target).", cause: error)
    }
}
