package import Access
import Foundation
import HTTP
import NIOCore

/// A URL to which requests may be sent.
package struct VerificationEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The hosts for which plain HTTP is allowed.
    package enum PlainHTTP: Sendable {
        /// This machine only, for tests and local proxies.
        case loopback
        /// All hosts. A legacy server in the same network often has no TLS.
        case anywhere
    }

    /// Absolute, without user, password and fragment.
    package let url: String

    /// The host in lower case.
    let host: String
    let isSecure: Bool

    /// Whether the host is from the configuration. Any other host must have a public address.
    let isConfigured: Bool

    /// A URL from the configuration.
    ///
    /// - Throws: ``LoginError`` `misconfigured`.
    package init(configured text: String, plainHTTP: PlainHTTP = .loopback) throws(LoginError) {
        guard let parts = Self.parts(text) else {
            throw LoginError(.misconfigured, "expected a URL such as `https://example.com/verify`, without user, password and fragment")
        }
        guard parts.isSecure || plainHTTP == .anywhere || Self.isLoopback(parts.host) else {
            throw LoginError(
                .misconfigured, "secrets are sent to this URL, so it has to be `https`; `http` is allowed only for this machine")
        }
        self.init(url: text, host: parts.host, isSecure: parts.isSecure, isConfigured: true)
    }

    /// A URL from a reply of a configured server.
    ///
    /// - Throws: ``LoginError`` `unavailable` if it is not safe to use.
    init(discovered text: String, by configured: VerificationEndpoint) throws(LoginError) {
        guard let parts = Self.parts(text) else { throw LoginError(.unavailable, "\(configured.host) names an address that is not a URL") }
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

    /// The URL with a path appended.
    func appending(_ path: String) -> VerificationEndpoint {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        return VerificationEndpoint(url: base + path, host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// The URL with query items appended.
    func appending(query items: [(name: String, value: String)]) -> VerificationEndpoint {
        let separator = url.contains("?") ? "&" : "?"
        return VerificationEndpoint(
            url: url + separator + FormEncoding.encode(items), host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// The URL of another path, from the root of the same server.
    func root(_ path: String) -> VerificationEndpoint {
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let origin = url[..<(url[start...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex)]
        return VerificationEndpoint(url: origin + path, host: host, isSecure: isSecure, isConfigured: isConfigured)
    }

    /// The URL without the query, which may contain data that must not be logged.
    package var description: String { String(url.prefix { $0 != "?" }) }

    /// Characters that no URL contains, or that would end a header's parameter.
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

extension SocketAddress {
    /// Whether this is a public Internet address: not of a private network, this machine, a link, documentation or multicast (IANA's
    /// special-purpose address registries).
    var isPublic: Bool {
        let bytes = withSockAddr { pointer, size in Array(UnsafeRawBufferPointer(start: pointer, count: size)) }
        // The position of the address in `sockaddr_in` and `sockaddr_in6`, on every system.
        return switch self {
        case .v4: Self.isPublic(v4: Array(bytes[4..<8]))
        case .v6: Self.isPublic(v6: Array(bytes[8..<24]))
        case .unixDomainSocket: false
        }
    }

    private static func isPublic(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): false
        case (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }

    private static func isPublic(v6 bytes: [UInt8]) -> Bool {
        // IPv4 in IPv6: mapped, and translated (64:ff9b::/96).
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        let isTranslated = bytes.prefix(4).elementsEqual([0, 0x64, 0xff, 0x9b]) && bytes[4..<12].allSatisfy { $0 == 0 }
        if isMapped || isTranslated { return isPublic(v4: Array(bytes[12...])) }
        guard bytes[0] & 0xe0 == 0x20 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // 6to4 and Teredo embed IPv4 addresses that are not checked here; 2001:db8::/32 is documentation.
        case (0x20, 0x02, _, _), (0x20, 0x01, 0, 0), (0x20, 0x01, 0x0d, 0xb8): return false
        default: return true
        }
    }
}
