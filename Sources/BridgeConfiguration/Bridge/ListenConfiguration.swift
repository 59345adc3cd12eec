import Foundation
package import HTTP

/// Where the bridge listens.
package struct ListenConfiguration: Hashable, Sendable {
    /// 1.x HTTP and 2.x+ WebSocket, one port.
    package var publicAddress = ListenAddress(host: "127.0.0.1", port: 4984)

    /// Loopback unless the configuration says otherwise: it asks for no login but with `adminAuth`.
    package var adminAddress = ListenAddress(host: "127.0.0.1", port: 4985)

    /// Of the public port.
    package var tls: TLSFiles?

    /// Of the admin port.
    package var adminTLS: TLSFiles?

    /// Whose word on who is behind them is taken, on the public port.
    package var trustedProxies = TrustedProxies()

    /// How hard what goes to 2.x+ clients is compressed: zlib's level, 0 for not at all. What they send is inflated in any case.
    package var blipCompression = 3

    package init() {}
}

/// Where a port listens.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:4984`, `[::1]:4984`, `:4984` (every address) or `4984` (loopback).
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else {
            guard let port = Int(text), (0...65535).contains(port) else { return nil }
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool { host == "::1" || host == "localhost" || host.hasPrefix("127.") }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ListenConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(["package", "admin", "tls", "adminTLS", "trustedProxies", "blipCompression"])
        func address(_ node: ConfigurationNode) throws -> ListenAddress {
            let text = try node.text()
            guard let address = ListenAddress(text) else {
                throw node.error(.badValue, "expected an address such as `127.0.0.1:4984`, not `\(text)`")
            }
            return address
        }
        members["package"]?.read { publicAddress = try address($0) }
        members["admin"]?.read { adminAddress = try address($0) }
        members["tls"]?.read { tls = try TLSFiles($0, folder: folder) }
        members["adminTLS"]?.read { adminTLS = try TLSFiles($0, folder: folder) }
        members["blipCompression"]?.read { blipCompression = try $0.int(in: 0...9) }
        members["trustedProxies"]?.read { node in
            trustedProxies = TrustedProxies(
                try node.texts().map { text in
                    guard let range = AddressRange(text) else {
                        throw node.error(.badValue, "expected an address or a network such as `10.0.0.0/8`, not `\(text)`")
                    }
                    return range
                })
        }
    }
}
