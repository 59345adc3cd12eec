import Access

/// The IDs of the bridges' databases that a request has passed. Each ID is created at the start of a bridge.
///
/// A bridge adds its ID to requests that it sends for a client. So a bridge that is its own upstream, by whatever names and proxies, finds its own
/// ID in a request and refuses it, instead of waiting for itself.
package struct ViaHeader: Sendable, Hashable {
    /// The header of requests.
    package static let header = "Dualgauge-Via"

    /// The maximum number of IDs. A request with more is refused, because no real chain is that long.
    private static let longest = 16
    private static let longestID = 64

    /// The header of the current request; empty for the bridge's own requests.
    @TaskLocal package static var current = ViaHeader()

    package let ids: [String]

    package init(_ ids: [String] = []) {
        self.ids = ids
    }

    /// - Parameter text: The value of the header in a request.
    /// - Returns: `nil` for a value that no bridge sends.
    package init?(header text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ",")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        guard (1...Self.longest).contains(parts.count),
            parts.allSatisfy({ 1...Self.longestID ~= $0.count && $0.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 } })
        else { return nil }
        ids = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The header with one more database.
    package func adding(_ id: String) -> ViaHeader { ViaHeader(ids + [id]) }

    /// The value of the header.
    package var text: String { ids.joined(separator: ", ") }
}

extension VerificationRequest.Header {
    /// The header for the current request's chain; empty for the bridge's own requests.
    static var trail: [VerificationRequest.Header] {
        let trail = ViaHeader.current
        return trail.ids.isEmpty ? [] : [VerificationRequest.Header(name: ViaHeader.header, value: Secret(trail.text))]
    }
}
