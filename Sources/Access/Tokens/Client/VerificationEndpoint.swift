import Foundation
import HTTP
import NIOCore

/// An address that may be asked.
public struct VerificationEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// Where plain HTTP may be spoken.
    public enum PlainHTTP: Sendable {
        /// To this machine alone, as tests and proxies beside us want it.
        case loopback
        /// Anywhere. An old server in the same network often has no TLS.
        case anywhere
    }

    /// Absolute, without user, password and fragment.
    public let url: String

    /// In lower case.
    let host: String
    let isSecure: Bool

    /// Whether the operator chose the host. Any other host must have a public address.
    let isConfigured: Bool

    /// An address from the configuration.
    ///
    /// - Throws: ``LoginError`` `misconfigured`.
    public init(configured text: String, plainHTTP: PlainHTTP = .loopback) throws(LoginError) {
        guard let parts = Self.parts(text) else {
            throw LoginError(.misconfigured, "expected a URL such as `https://example.com/verify`, without user, password and fragment")
        }
        guard parts.isSecure || plainHTTP == .anywhere || Self.isLoopback(parts.host) else {
            throw LoginError(.misconfigured, "secrets are sent there, so it has to be `https`; `http` is for this machine alone")
        }
        self.init(url: text, host: parts.host, isSecure: parts.isSecure, isConfigured: true)
    }

    /// An address that the server at a configured one has named.
    ///
    /// - Throws: ``LoginError`` `unavailable` if it is not to be trusted with anything.
    init(discovered text: String, by configured: VerificationEndpoint) throws(LoginError) {
        guard let parts = Self.parts(text) else { throw LoginError(.unavailable, "\(configured.host) names an address that is no URL") }
        let isSameHost = parts.host == configured.host && configured.isConfigured
        guard parts.isSecure || (isSameHost && !configured.isSecure) else {
            throw LoginError(.unavailable, "\(configured.host) names an address that is not `https`")
        }
        if !isSameHost, Self.isLoopback(parts.host) || (try? SocketAddress(ipAddress: parts.bareHost, port: 0))?.isPublic == false {
            throw LoginError(.unavailable, "\(configured.host) names an address in a private network")
        }
        self.init(url: text, host: parts.host, isSecure: parts.isSecure, isConfigured: isSameHost)
    }

    init(url: String, host: String, isSecure: Bool, isConfigured: Bool) {
        self.url = url
        self.host = host
        self.isSecure = isSecure
        self.isConfigured = isConfigured
    }

    /// The address with a path after its own.
    func appending(_ path: String) -> VerificationEndpoint {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        return VerificationEndpoint(url: base + path, host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// The address with items after those of its query.
    func appending(query items: [(name: String, value: String)]) -> VerificationEndpoint {
        let separator = url.contains("?") ? "&" : "?"
        return VerificationEndpoint(
            url: url + separator + FormEncoding.encode(items), host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// The same server's address at another path from its root.
    func root(_ path: String) -> VerificationEndpoint {
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let origin = url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)]
        return VerificationEndpoint(url: origin + path, host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// Without the query, which may say more than a log should.
    public var description: String { String(url.prefix { $0 != "?" }) }

    /// What no URL contains, and what would end a header's parameter.
    private static let unsafe = Array(#""<>\^`{|}"#.utf8)

    private static func parts(_ text: String) -> (host: String, bareHost: String, isSecure: Bool)? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !unsafe.contains($0) }),
            let url = WebURL(text, schemes: WebURL.http), url.parts.user == nil, url.parts.password == nil, url.parts.fragment == nil
        else { return nil }
        return (url.host.lowercased(), url.bareHost.lowercased(), url.isSecure)
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "127.0.0.1" || host == "::1" || host == "[::1]"
    }
}
