import Foundation

/// Where a `ws:` or `wss:` URL leads.
struct WebSocketURL: Sendable, Hashable, CustomStringConvertible {
    let isSecure: Bool
    /// The host's name or address, without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// The path and query as they stand in the URL.
    let target: String

    /// - Throws: ``WebSocketError`` when the URL is none of these.
    init(_ url: String) throws {
        guard let parsed = WebURL(url, schemes: WebURL.webSocket) else {
            throw WebSocketError(.invalidURL, reason: "\(url) is not a ws: or wss: URL with a host, and a port up to 65535.")
        }
        (isSecure, host, port) = (parsed.isSecure, parsed.bareHost, parsed.port)
        let path = parsed.parts.percentEncodedPath.isEmpty ? "/" : parsed.parts.percentEncodedPath
        target = parsed.parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// The value of the `Host` header: without the scheme's own port, as Couchbase Lite writes it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target)" }
}
