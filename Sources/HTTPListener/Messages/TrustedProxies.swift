package import HTTPTypes
package import NIOCore

/// The proxies in front of the server whose forwarding headers are trusted.
///
/// A proxy appends the address of its client to `X-Forwarded-For`. The list is therefore read from its end, as long as the address that
/// added the entry is trusted; entries that a client added itself come before that. `X-Forwarded-Proto` indicates whether the client used TLS.
package struct TrustedProxies: Hashable, Sendable {
    /// The maximum number of evaluated addresses. No legitimate chain of proxies is longer.
    private static let depth = 32

    private let networks: [AddressRange]

    /// - Parameter networks: The proxies' addresses; if empty, no proxy is trusted.
    package init(_ networks: [AddressRange] = []) {
        self.networks = networks
    }

    /// The request info with the original client's address and scheme. The certificate is removed, because it belongs to the proxy.
    package func resolve(_ info: RequestInfo, _ headers: HTTPFields) -> RequestInfo {
        guard !networks.isEmpty, let peer = info.remoteAddress, isTrusted(peer) else { return info }
        let addresses = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        var client = peer
        for text in addresses.suffix(Self.depth).reversed() where isTrusted(client) {
            guard let address = Self.address(text.trimmed) else { break }
            client = address
        }
        let scheme = headers[values: .forwardedProto].last?.split(separator: ",").last?.trimmed.lowercased()
        return info.forwarded(for: client, isSecure: scheme.map { $0 == "https" || $0 == "wss" } ?? info.isSecure)
    }

    private func isTrusted(_ address: SocketAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// Parses `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`, `[2001:db8::1]:5678`.
    private static func address(_ text: Substring) -> SocketAddress? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return try? SocketAddress(ipAddress: String(text[text.index(after: text.startIndex)..<end]), port: 0)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return try? SocketAddress(ipAddress: String(parts.count == 2 ? parts[0] : text), port: 0)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else { return "" }
        return self[first...last]
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .origin
    fileprivate static let forwardedProto = HTTPField.Name("X-Forwarded-Proto") ?? .origin
}

/// An IP address or a network: `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The prefix length in bits.
    private let length: Int

    /// - Returns: `nil` if the text is not an address, or if the prefix is longer than the address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = try? SocketAddress(ipAddress: String(parts[0]), port: 0), let bytes = Self.bytes(of: address) else {
            return nil
        }
        var length = bytes.count * 8
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...length).contains(given) else { return nil }
            length = given
        }
        (self.bytes, self.length) = (bytes, length)
    }

    /// Whether an address is in the range. An IPv4 address mapped to IPv6 counts as IPv4.
    package func contains(_ address: SocketAddress) -> Bool {
        guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
        let (whole, rest) = (length / 8, length % 8)
        guard bytes[..<whole] == other[..<whole] else { return false }
        return rest == 0 || (bytes[whole] ^ other[whole]) >> (8 - rest) == 0
    }

    private static func bytes(of address: SocketAddress) -> [UInt8]? {
        let bytes = address.withSockAddr { pointer, size in Array(UnsafeRawBufferPointer(start: pointer, count: size)) }
        // The offsets of the address in `sockaddr_in` and `sockaddr_in6`, equal on all systems.
        switch address {
        case .v4: return Array(bytes[4..<8])
        case .v6:
            let address = bytes[8..<24]
            let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address.dropFirst(10).prefix(2).allSatisfy { $0 == 0xff }
            return Array(isMapped ? address.suffix(4) : address)
        case .unixDomainSocket: return nil
        }
    }
}
