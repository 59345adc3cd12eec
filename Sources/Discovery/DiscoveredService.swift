/// A service that was found, at one of its addresses.
package struct DiscoveredService: Hashable, Sendable {
    package let name: String

    /// Such as `bridge.local`.
    package let host: String

    /// An IPv4 or IPv6 address.
    package let address: String
    package let port: UInt16

    /// `key=value`; all of it comes from the network.
    package let texts: [String]

    package init(name: String, host: String, address: String, port: UInt16, texts: [String]) {
        (self.name, self.host, self.address, self.port, self.texts) = (name, host, address, port, texts)
    }

    /// The values of a key.
    package subscript(key: String) -> [String] {
        texts.compactMap { $0.hasPrefix(key + "=") ? String($0.dropFirst(key.count + 1)) : nil }
    }

    /// Whether other machines can use the address without naming a network interface.
    private var isGlobal: Bool {
        !address.isEmpty && !address.lowercased().hasPrefix("fe80") && !address.hasPrefix("127.") && address != "::1"
    }

    /// One entry a service, at its best address: one that other machines can use, and rather IPv4, which 1.x apps can use.
    package static func merged(_ services: [DiscoveredService]) -> [DiscoveredService] {
        func rank(_ service: DiscoveredService) -> Int { (service.isGlobal ? 0 : 2) + (service.address.contains(":") ? 1 : 0) }
        let byName = Dictionary(grouping: services, by: \.name)
        return byName.values.compactMap { $0.min { (rank($0), $0.address) < (rank($1), $1.address) } }.sorted { $0.name < $1.name }
    }
}

/// The type of a service, such as `_dualgauge._tcp`.
package struct ServiceType: Hashable, Sendable {
    package static let bridge = ServiceType(trusted: "_dualgauge._tcp")

    package let text: String

    private init(trusted text: String) {
        self.text = text
    }

    /// - Returns: `nil` unless the text is a name of 1 to 15 letters, digits and hyphens (RFC 6335, 5.1) and a protocol.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, ["_tcp", "_udp"].contains(parts[1]), let first = parts.first, first.utf8.first == UInt8(ascii: "_") else {
            return nil
        }
        let name = first.utf8.dropFirst()
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard 1...15 ~= name.count, name.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "-") }), name.contains(where: isAlphanumeric)
        else { return nil }
        self.text = text
    }
}

/// Why services cannot be announced or found.
package struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason by the library.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package var description: String {
        "DNS-SD is not available: \(reason). It needs Avahi's library and its running daemon (Debian: apt-get install avahi-daemon)"
    }
}
