public import Foundation

/// The URL of a server, taken apart: absolute, with a host, and with a port that there can be.
///
/// Every URL that somebody gives is read here before anything connects to it. SwiftNIO's addresses stop the process at a port that has more
/// than 16 bits, and URLs have such ports wherever they come from: a configuration, an administrator, a redirect, an identity provider.
public struct WebURL: Sendable {
    /// Schemes of servers that speak HTTP.
    public static let http: Set = ["http", "https"]

    /// Schemes of servers that speak WebSocket.
    public static let webSocket: Set = ["ws", "wss"]

    /// All parts as they stand in the text, but for the scheme, which is in lower case.
    public let parts: URLComponents

    /// In lower case.
    public let scheme: String

    /// As it stands in the text; an IPv6 address has its brackets.
    public let host: String

    /// Whether TLS is spoken there.
    public var isSecure: Bool { scheme == "https" || scheme == "wss" }

    /// The port, also where the text leaves it to the scheme.
    public var port: Int { parts.port ?? (isSecure ? 443 : 80) }

    /// The host without the brackets of an IPv6 address, as connections are made to it.
    public var bareHost: String { host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host }

    /// - Parameter schemes: those that are taken, in lower case.
    /// - Returns: `nil` for what is no such URL.
    public init?(_ text: String, schemes: Set<String>) {
        guard var parts = URLComponents(string: text) else { return nil }
        // A number of too many digits is no port at all to Foundation.
        let hasPort = parts.rangeOfPort.map { !$0.isEmpty } ?? false
        guard let scheme = parts.scheme?.lowercased(), schemes.contains(scheme), let host = parts.host, !host.isEmpty,
            !hasPort || 1...65_535 ~= parts.port ?? 0
        else { return nil }
        parts.scheme = scheme
        (self.parts, self.scheme, self.host) = (parts, scheme, host)
    }
}

/// Where an answer sends its client on.
public struct Redirection: Sendable, Equatable {
    /// So many in a row are followed.
    public static let maximum = 10

    /// Where to ask next: absolute, without a fragment.
    public let url: String

    /// Whether scheme, host and port stay the same. Secrets go nowhere else.
    public let isSameOrigin: Bool

    /// - Parameters:
    ///   - status: the answer's; 301, 302, 303, 307 and 308 lead elsewhere.
    ///   - location: its header `Location`, which may be relative.
    ///   - url: where the answer came from.
    ///   - schemes: those that are followed. A secure connection is never left for an open one.
    /// - Returns: `nil` if the answer leads nowhere that may be followed.
    public init?(status: Int, location: String?, from url: String, schemes: Set<String>) {
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
