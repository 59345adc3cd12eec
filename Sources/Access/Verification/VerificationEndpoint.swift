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

extension SocketAddress {
    /// Whether this is an address on the Internet, and none of a private network, of this machine, of a link, of documentation or of a group
    /// (IANA's special-purpose address registries).
    var isPublic: Bool {
        let bytes = withSockAddr { pointer, size in Array(UnsafeRawBufferPointer(start: pointer, count: size)) }
        // Where `sockaddr_in` and `sockaddr_in6` have the address, on every system.
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
        // 6to4 and Teredo lead to IPv4 addresses that are not looked at here; 2001:db8::/32 is documentation.
        case (0x20, 0x02, _, _), (0x20, 0x01, 0, 0), (0x20, 0x01, 0x0d, 0xb8): return false
        default: return true
        }
    }
}
