/// What a client takes, by its `Accept` header (RFC 9110, 12.5.1).
///
/// A client that sends none takes anything. Media types are asked for as `type/subtype` in lower case.
public struct AcceptHeader: Sendable, Hashable {
    private struct MediaRange: Sendable, Hashable {
        let type: String
        let subtype: String
        let isRefused: Bool
    }

    /// Further ranges than these are not looked at.
    static let maximumCount = 64

    private let ranges: [MediaRange]

    /// Reads the header's value; several headers of that name joined by commas. `nil` or empty: none was sent.
    public init(_ header: String?) {
        let bytes = Array((header ?? "").utf8)
        ranges = bytes.split(separator: ASCII.comma).prefix(Self.maximumCount).compactMap(Self.range)
    }

    /// Whether an answer of that type is welcome, by name or by a wildcard. The most specific range decides.
    public func accepts(_ mediaType: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let type = mediaType.prefix { $0 != "/" }
        let named = ranges.first { $0.type == type && mediaType == "\($0.type)/\($0.subtype)" }
        let match = named ?? ranges.first { $0.type == type && $0.subtype == "*" } ?? ranges.first { $0.type == "*" }
        return match.map { !$0.isRefused } ?? false
    }

    /// Whether that very type is named, and not refused: wildcards and a missing header don't count.
    public func explicitlyAccepts(_ mediaType: String) -> Bool {
        ranges.contains { !$0.isRefused && mediaType == "\($0.type)/\($0.subtype)" }
    }

    /// Whether any type of that family is named, such as `multipart/related` or `multipart/*` for `multipart`.
    public func explicitlyAccepts(anyOf type: String) -> Bool {
        ranges.contains { !$0.isRefused && $0.type == type }
    }

    /// Whether `_bulk_get` is to answer in JSON: only if `application/json` is named and nothing multipart is.
    /// PouchDB and CouchDB ask so. Couchbase Lite for .NET names both, and would silently lose a JSON answer.
    public var wantsJSONRatherThanMultipart: Bool {
        explicitlyAccepts("application/json") && !explicitlyAccepts(anyOf: "multipart")
    }

    private static func range(_ bytes: ArraySlice<UInt8>) -> MediaRange? {
        guard let mediaType = MediaType(ASCII.text(bytes)) else { return nil }
        return MediaRange(type: mediaType.type, subtype: mediaType.subtype, isRefused: isZero(mediaType.parameters["q"]))
    }

    /// `q=0`, `q=0.0`, `q=0.000`: not acceptable. Anything else, a malformed weight too, is.
    private static func isZero(_ weight: String?) -> Bool {
        guard let weight, weight.utf8.first == UInt8(ascii: "0") else { return false }
        return weight.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == ASCII.dot }
    }
}
