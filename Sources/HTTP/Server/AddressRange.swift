public import NIOCore

/// An IP address, or all that begin alike: `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`.
public struct AddressRange: Hashable, Sendable {
    private let bytes: [UInt8]

    /// How many bits have to be the same.
    private let length: Int

    /// - Returns: `nil` if the text is no address, or has more bits than its address.
    public init?(_ text: String) {
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

    /// Whether an address is one of these. An IPv4 address that came over an IPv6 socket counts as what it is.
    public func contains(_ address: SocketAddress) -> Bool {
        guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
        let (whole, rest) = (length / 8, length % 8)
        guard bytes[..<whole] == other[..<whole] else { return false }
        return rest == 0 || (bytes[whole] ^ other[whole]) >> (8 - rest) == 0
    }

    private static func bytes(of address: SocketAddress) -> [UInt8]? {
        let bytes = address.withSockAddr { pointer, size in Array(UnsafeRawBufferPointer(start: pointer, count: size)) }
        // Where `sockaddr_in` and `sockaddr_in6` have the address, on every system.
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
