/// The databases of bridges that a request has come by, each with an ID that is made anew at each start.
///
/// A bridge that asks another server in a client's name says by whom the question has come. So one that is its own old server, by
/// whatever names and proxies, finds its own ID in a request and refuses it, instead of waiting for itself.
public struct ViaHeader: Sendable, Hashable {
    /// The header of requests.
    public static let header = "Dualgauge-Via"

    /// A request that has come by more is refused: nobody has such a chain.
    private static let longest = 16
    private static let longestID = 64

    /// That of the request which is being answered; empty for a bridge's own.
    @TaskLocal public static var current = ViaHeader()

    public let ids: [String]

    public init(_ ids: [String] = []) {
        self.ids = ids
    }

    /// - Parameter text: The header of a request.
    /// - Returns: `nil` for what no bridge sends.
    public init?(header text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ",")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        guard (1...Self.longest).contains(parts.count),
            parts.allSatisfy({ 1...Self.longestID ~= $0.count && $0.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 } })
        else { return nil }
        ids = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same, with one database more.
    public func adding(_ id: String) -> ViaHeader { ViaHeader(ids + [id]) }

    /// As the header's value.
    public var text: String { ids.joined(separator: ", ") }
}

extension VerificationRequest.Header {
    /// By whom the present question has come; nothing for a question of nobody's.
    static var trail: [VerificationRequest.Header] {
        let trail = ViaHeader.current
        return trail.ids.isEmpty ? [] : [VerificationRequest.Header(name: ViaHeader.header, value: Secret(trail.text))]
    }
}
