package import Discovery
import Foundation
import HTTP
package import HTTPListener

/// The addresses and TLS settings of the bridge's ports.
package struct ListenConfiguration: Hashable, Sendable {
    /// The public port, for both the 1.x HTTP protocol and the 2.x+ WebSocket protocol.
    package var publicAddress = ListenAddress(host: "127.0.0.1", port: 4984)

    /// The admin port. Loopback by default, because the port requires a login only with `adminAuth`.
    package var adminAddress = ListenAddress(host: "127.0.0.1", port: 4985)

    /// TLS of the public port.
    package var tls: TLSFiles?

    /// TLS of the admin port.
    package var adminTLS: TLSFiles?

    /// The proxies whose forwarding headers the public port trusts for the client's address.
    package var trustedProxies = TrustedProxies()

    /// The zlib level for compressing messages to 2.x+ clients; 0 sends them uncompressed. Received messages are inflated in any case.
    package var blipCompression = 3

    /// How the public port is announced in the local network; `nil` if it is not.
    package var discovery: DiscoverySettings?

    /// How long the bridge serves on after a signal to stop, so that load balancers send new requests to other bridges.
    package var drainTime = Duration.zero

    package init() {}
}

/// The announcement of the public port by DNS-SD.
package struct DiscoverySettings: Hashable, Sendable {
    /// For people: 1 to 63 bytes.
    package var name: String
    package var type = ServiceType.bridge

    package init(name: String = DiscoverySettings.hostName) {
        self.name = name
    }

    /// The name of this machine, without its domain.
    package static var hostName: String {
        let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
        return name.isEmpty ? "dualgauge" : String(name.prefix(15))
    }
}

/// The address that a port listens on.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses `127.0.0.1:4984`, `[::1]:4984`, `:4984` (all interfaces) or `4984` (loopback).
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

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool { host == "::1" || host == "localhost" || host.hasPrefix("127.") }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ListenConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members([
            "public", "admin", "tls", "adminTLS", "trustedProxies", "blipCompression", "discovery", "drainTime",
        ])
        func address(_ node: ConfigurationNode) throws -> ListenAddress {
            let text = try node.text()
            guard let address = ListenAddress(text) else {
                throw node.error(.badValue, "expected an address such as `127.0.0.1:4984`, not `\(text)`")
            }
            return address
        }
        members["public"]?.read { publicAddress = try address($0) }
        members["admin"]?.read { adminAddress = try address($0) }
        members["tls"]?.read { tls = try TLSFiles($0, folder: folder) }
        members["adminTLS"]?.read { adminTLS = try TLSFiles($0, folder: folder) }
        members["blipCompression"]?.read { blipCompression = try $0.int(in: 0...9) }
        members["discovery"]?.read { discovery = try DiscoverySettings($0) }
        members["drainTime"]?.read { drainTime = .seconds(try $0.seconds(upTo: 600)) }
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

extension DiscoverySettings {
    fileprivate init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["name", "type"])
        members["name"]?.read { node in
            name = try node.nonEmptyText()
            guard name.utf8.count <= 63, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw node.error(.badValue, "a name in the network has 1 to 63 bytes, without control characters")
            }
        }
        members["type"]?.read { node in
            let text = try node.text()
            guard let known = ServiceType(text) else {
                throw node.error(.badValue, "expected a type such as `_dualgauge._tcp`, not `\(text)`")
            }
            type = known
        }
    }
}
