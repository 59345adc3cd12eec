package import NIOCore

/// An IP address or a network: `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The prefix length in bits.
    private let length: Int

    /// As written.
    private let text: String

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
        (self.bytes, self.length, self.text) = (bytes, length, text)
    }

    /// Whether an address is in the range. An IPv4 address mapped to IPv6 counts as IPv4.
    package func contains(_ address: SocketAddress) -> Bool {
        guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
        let (whole, rest) = (length / 8, length % 8)
        guard bytes[..<whole] == other[..<whole] else { return false }
        return rest == 0 || (bytes[whole] ^ other[whole]) >> (8 - rest) == 0
    }

    /// The bytes of an IP address: 4 or 16. An IPv4 address mapped to IPv6 counts as IPv4. `nil` for other addresses.
    package static func bytes(of address: SocketAddress) -> [UInt8]? {
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

extension AddressRange: CustomStringConvertible {
    package var description: String { text }
}
