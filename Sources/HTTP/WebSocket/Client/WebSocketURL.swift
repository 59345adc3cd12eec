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
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), scheme == "ws" || scheme == "wss",
            let host = parts.host, !host.isEmpty
        else {
            throw WebSocketError(.invalidURL, reason: "\(url) is not a ws: or wss: URL with a host.")
        }
        isSecure = scheme == "wss"
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 443 : 80)
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        target = parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// The value of the `Host` header: without the scheme's own port, as Couchbase Lite writes it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target)" }
}
