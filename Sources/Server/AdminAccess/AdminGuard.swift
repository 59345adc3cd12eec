import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore

/// Keeps pages of other sites, which somebody who can reach the admin port has open in a browser, from using it through that browser.
///
/// Where the admin port asks for no login, the browser's word on where a request comes from is all there is; where it does, browsers send the login
/// along with the requests of every page. Programs other than browsers send none of these headers, and are let through.
struct AdminGuard: Sendable {
    /// Whether the port listens on this machine alone: then only this machine's own names lead to it.
    private let isLoopback: Bool

    init(address: ListenAddress) {
        isLoopback = address.isLoopback
    }

    /// Why a request is not answered; `nil` if it is.
    ///
    /// - A change that a page of another origin asks for, or a WebSocket, which browsers let every page open and read. Every browser of these years
    ///   sends `Origin` with those, `Sec-Fetch-Site` besides; what a page of another origin reads otherwise, it is not shown, because this port
    ///   answers no CORS request.
    /// - Any request of a browser's under a foreign name to a port that only this machine can reach: a site whose name was made to mean 127.0.0.1 (DNS
    ///   rebinding) would count as the page's own origin.
    func refusal(of request: Request) -> String? {
        if isLoopback, Self.isBrowser(request), let authority = request.head.authority, !Self.isOwn(Self.host(of: authority)) {
            return "the admin port of this machine is not reached under the name \"\(authority)\": use localhost or 127.0.0.1"
        }
        guard ![.get, .head].contains(request.method) || request.wantsWebSocket else { return nil }
        let deed = request.wantsWebSocket ? "open a WebSocket" : "change anything"
        if let origin = request.foreignOrigin, !Self.isSameOrigin(request) {
            return "pages of \(origin) may not \(deed) on the admin port"
        }
        if let site = request.headers[.secFetchSite], !["same-origin", "none"].contains(site) {
            return "pages of other sites may not \(deed) on the admin port"
        }
        return nil
    }

    /// Whether the browser says so itself, which no page can: behind a proxy, `Origin` has the proxy's name and `Host` may not.
    private static func isSameOrigin(_ request: Request) -> Bool { request.headers[.secFetchSite] == "same-origin" }

    /// Browsers send `Accept-Language` with everything, and no page can keep them from it; curl and its like do not.
    private static func isBrowser(_ request: Request) -> Bool {
        [.acceptLanguage, .origin, .referer, .secFetchSite].contains { request.headers[$0] != nil }
            || request.headers[.userAgent]?.hasPrefix("Mozilla/") == true
    }

    /// Without its port: `[::1]:4985` is `::1`.
    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Numbers cannot be made to mean something else, and browsers never ask a name server for `localhost`.
    private static func isOwn(_ host: String) -> Bool {
        let host = host.lowercased()
        if host.isEmpty || host == "localhost" || host.hasSuffix(".localhost") || host.contains(":") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
