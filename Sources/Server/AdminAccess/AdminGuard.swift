import BridgeConfiguration
import HTTPListener
import HTTPTypes
import HummingbirdCore

/// Prevents pages of other sites from using the admin port through the browser of a user who can reach the port.
///
/// If the admin port requires no login, the browser's headers are the only evidence of a request's origin. If it does, browsers attach the
/// login to requests of every page. Programs other than browsers do not send these headers and are admitted.
struct AdminGuard: Sendable {
    /// Whether the port listens only on this machine, so that only this machine's own names lead to it.
    private let isLoopback: Bool

    init(address: ListenAddress) {
        isLoopback = address.isLoopback
    }

    /// The reason to refuse a request; `nil` to admit it.
    ///
    /// - A change, or a WebSocket, that a page of another origin requests. Browsers let every page open and read WebSockets. Every current
    ///   browser sends `Origin` with those requests, and `Sec-Fetch-Site`. Pages of other origins cannot read the responses to other
    ///   requests, because this port does not support CORS.
    /// - Any browser request under a foreign name to a port that only this machine can reach. The page of a site whose name resolves to
    ///   127.0.0.1 (DNS rebinding) would have the same origin.
    func refusal(of request: Request) -> String? {
        if isLoopback, Self.isBrowser(request), let authority = request.head.authority, !Self.isOwn(Self.host(of: authority)) {
            return "the admin port does not accept the host name \"\(authority)\"; use localhost or 127.0.0.1"
        }
        guard ![.get, .head].contains(request.method) || request.wantsWebSocket else { return nil }
        let action = request.wantsWebSocket ? "open a WebSocket" : "change anything"
        if let origin = request.foreignOrigin, !Self.isSameOrigin(request) {
            return "pages of \(origin) may not \(action) on the admin port"
        }
        if let site = request.headers[.secFetchSite], !["same-origin", "none"].contains(site) {
            return "pages of other sites may not \(action) on the admin port"
        }
        return nil
    }

    /// Whether the browser declares the request same-origin, which a page cannot forge. Behind a proxy, `Origin` has the proxy's name, and
    /// `Host` may not.
    private static func isSameOrigin(_ request: Request) -> Bool { request.headers[.secFetchSite] == "same-origin" }

    /// Whether a browser sent the request. Browsers send `Accept-Language` with every request, and pages cannot prevent it; curl and
    /// similar tools do not send it.
    private static func isBrowser(_ request: Request) -> Bool {
        [.acceptLanguage, .origin, .referer, .secFetchSite].contains { request.headers[$0] != nil }
            || request.headers[.userAgent]?.hasPrefix("Mozilla/") == true
    }

    /// The host without its port: `[::1]:4985` is `::1`.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Whether a host cannot be rebound: an IP address, or `localhost`, for which browsers never query DNS.
    private static func isOwn(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.isEmpty || host == "localhost" || host.hasSuffix(".localhost") || host.contains(":") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
