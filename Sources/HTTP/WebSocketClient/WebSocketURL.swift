import Foundation
import NIOPosix

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

/// Finds out why a host's name gives no address: NIO does not tell a name that there is not from a name server that does not answer.
enum HostLookup {
    /// What a result of `getaddrinfo` means.
    static func code(of result: Int32) -> WebSocketError.Code {
        // EAI_NODATA, which Linux declares for GNU programs alone, is -5.
        result == EAI_NONAME || result == -5 ? .unknownHost : .lookupFailed
    }

    /// Looks a name up again that could not be found.
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
