import NIOCore

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
