public import HTTPTypes
import NIOCore

/// The proxies in front of the server, whose word on who is behind them is taken.
///
/// A proxy appends the address that it sees to `X-Forwarded-For`, so the list is read from its end, for as long as the one who has written is
/// trusted: what a client has put there itself comes before that. `X-Forwarded-Proto` tells whether the client came over TLS.
public struct TrustedProxies: Hashable, Sendable {
    /// How many addresses are looked at; a longer chain of trusted proxies is nobody's.
    private static let depth = 32

    private let networks: [AddressRange]

    /// - Parameter networks: the proxies' addresses; none, and nobody is taken for a proxy.
    public init(_ networks: [AddressRange] = []) {
        self.networks = networks
    }

    /// What is known of a request, told by whom it comes from in truth. The certificate of a proxy is not its client's.
    public func resolve(_ info: RequestInfo, _ headers: HTTPFields) -> RequestInfo {
        guard !networks.isEmpty, let peer = info.remoteAddress, isTrusted(peer) else { return info }
        let addresses = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        var client = peer
        for text in addresses.suffix(Self.depth).reversed() where isTrusted(client) {
            guard let address = Self.address(text.trimmed) else { break }
            client = address
        }
        let scheme = headers[values: .forwardedProto].last?.split(separator: ",").last?.trimmed.lowercased()
        return RequestInfo(
            remoteAddress: client, isSecure: scheme.map { $0 == "https" || $0 == "wss" } ?? info.isSecure, isBrowser: info.isBrowser,
            shutdown: info.shutdown)
    }

    private func isTrusted(_ address: SocketAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`, `[2001:db8::1]:5678`.
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
