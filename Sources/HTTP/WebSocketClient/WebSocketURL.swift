import Foundation
import NIOPosix

/// The parts of a `ws:` or `wss:` URL.
struct WebSocketURL: Sendable, Hashable, CustomStringConvertible {
    let isSecure: Bool
    /// The host name or address, without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// The path and query as written in the URL.
    let target: String

    /// - Throws: ``WebSocketError`` if the text is not such a URL.
    init(_ url: String) throws {
        guard let parsed = WebURL(url, schemes: WebURL.webSocket) else {
            throw WebSocketError(.invalidURL, reason: "\(url) is not a ws: or wss: URL with a host, and a port up to 65535.")
        }
        (isSecure, host, port) = (parsed.isSecure, parsed.bareHost, parsed.port)
        let path = parsed.parts.percentEncodedPath.isEmpty ? "/" : parsed.parts.percentEncodedPath
        target = parsed.parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }

    /// The value of the `Host` header: without the scheme's default port, as Couchbase Lite writes it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target)" }
}

/// Determines why a host name has no address. NIO does not distinguish a nonexistent name from a name server that does not respond.
enum HostLookup {
    /// The error code for a result of `getaddrinfo`.
    static func code(of result: Int32) -> WebSocketError.Code {
        // EAI_NODATA, which Linux declares for GNU programs only, is -5.
        result == EAI_NONAME || result == -5 ? .unknownHost : .lookupFailed
    }

    /// Looks up a name again after a failure.
    static func failure(of host: String) async -> WebSocketError.Code {
        let result = try? await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            defer { if let found { freeaddrinfo(found) } }
            return getaddrinfo(host, nil, &hints, &found)
        }
        return code(of: result ?? EAI_AGAIN)
    }
}
