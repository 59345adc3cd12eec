import NIOCore

/// The machine's network interfaces.
public enum LocalInterface {
    /// Whether an address, as a number, is one of this machine's.
    public static func has(_ address: String) -> Bool {
        guard let wanted = try? SocketAddress(ipAddress: address, port: 0).ipAddress else { return false }
        return ((try? System.enumerateDevices()) ?? []).contains { $0.address?.ipAddress == wanted }
    }

    /// The address to connect from: that of the interface of this name, IPv4 before IPv6, or the address itself.
    ///
    /// - Throws: ``WebSocketError`` when there is no such interface.
    static func address(of name: String) throws -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: name, port: 0) { return address }
        let addresses = try System.enumerateDevices().filter { $0.name == name }.compactMap(\.address)
        guard
            let address = addresses.first(where: { $0.protocol == .inet }) ?? addresses.first(where: { $0.protocol == .inet6 })
        else {
            throw WebSocketError(.unknownInterface, reason: "There is no network interface \(name) with an address.")
        }
        return address
    }
}
