package import HTTP
package import HTTPTypes
import NIOCore

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
