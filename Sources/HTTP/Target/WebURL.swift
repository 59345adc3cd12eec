package import Foundation

/// The parsed URL of a server: absolute, with a host, and with a valid port.
///
/// Every URL from outside is parsed here before a connection is made. SwiftNIO's addresses crash the process if a port has more than 16
/// bits, and URLs with such ports can come from any source: a configuration, an administrator, a redirect, an identity provider.
package struct WebURL: Sendable {
    /// The schemes of HTTP servers.
    package static let http: Set = ["http", "https"]

    /// The schemes of WebSocket servers.
    package static let webSocket: Set = ["ws", "wss"]

    /// All components as written, except the scheme, which is in lower case.
    package let parts: URLComponents

    /// The scheme in lower case.
    package let scheme: String

    /// The host as written; an IPv6 address has its brackets.
    package let host: String

    /// Whether the scheme uses TLS.
    package var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// The port, by default the port of the scheme.
    package var port: Int { parts.port ?? (isSecure ? 443 : 80) }

    /// The host without the brackets of an IPv6 address, for connecting.
    package var bareHost: String { host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host }

    /// - Parameter schemes: The accepted schemes, in lower case.
    /// - Returns: `nil` if the text is not such a URL.
    package init?(_ text: String, schemes: Set<String>) {
        guard var parts = URLComponents(string: text) else { return nil }
        // Foundation ignores a port number with too many digits.
        let hasPort = parts.rangeOfPort.map { !$0.isEmpty } ?? false
        guard let scheme = parts.scheme?.lowercased(), schemes.contains(scheme), let host = parts.host, !host.isEmpty,
            !hasPort || 1...65_535 ~= parts.port ?? 0
        else { return nil }
        parts.scheme = scheme
        (self.parts, self.scheme, self.host) = (parts, scheme, host)
    }
}

/// The target of a redirect response.
package struct Redirection: Sendable, Equatable {
    /// The maximum number of consecutive redirects.
    package static let maximum = 10

    /// The URL to request next: absolute, without a fragment.
    package let url: String

    /// Whether scheme, host and port stay the same. Credentials must not be sent to another origin.
    package let isSameOrigin: Bool

    /// - Parameters:
    ///   - status: The status of the response; 301, 302, 303, 307 and 308 are redirects.
    ///   - location: The `Location` header of the response, which may be relative.
    ///   - url: The URL of the request.
    ///   - schemes: The accepted schemes. A redirect from a secure connection to an insecure one is not followed.
    /// - Returns: `nil` if the response is not a redirect that may be followed.
    package init?(status: Int, location: String?, from url: String, schemes: Set<String>) {
        guard [301, 302, 303, 307, 308].contains(status), let location, let base = WebURL(url, schemes: schemes),
            let absolute = URL(string: location, relativeTo: URL(string: url))?.absoluteURL,
            let target = WebURL(absolute.absoluteString, schemes: schemes), target.isSecure || !base.isSecure
        else { return nil }
        var parts = target.parts
        parts.fragment = nil
        guard let text = parts.string else { return nil }
        self.url = text
        isSameOrigin =
            target.isSecure == base.isSecure && target.host.lowercased() == base.host.lowercased() && target.port == base.port
    }
}
