/// The media types that a client accepts, from its `Accept` header (RFC 9110, 12.5.1).
///
/// A client without this header accepts any type. Media types are given as `type/subtype` in lower case.
package struct AcceptHeader: Sendable, Hashable {
    private struct MediaRange: Sendable, Hashable {
        let type: String
        let subtype: String
        let isRefused: Bool
    }

    /// The maximum number of parsed ranges; further ones are ignored.
    static let maximumCount = 64

    private let ranges: [MediaRange]

    /// Parses the header's value, with several headers joined by commas. `nil` or empty means that no header was sent.
    package init(_ header: String?) {
        let bytes = Array((header ?? "").utf8)
        ranges = bytes.split(separator: ASCII.comma).prefix(Self.maximumCount).compactMap(Self.range)
    }

    /// Whether a response of this type is acceptable, by name or by a wildcard. The most specific range decides.
    package func accepts(_ mediaType: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let type = mediaType.prefix { $0 != "/" }
        let named = ranges.first { $0.type == type && mediaType == "\($0.type)/\($0.subtype)" }
        let match = named ?? ranges.first { $0.type == type && $0.subtype == "*" } ?? ranges.first { $0.type == "*" }
        return match.map { !$0.isRefused } ?? false
    }

    /// Whether this exact type is named and not refused. Wildcards and a missing header do not count.
    package func explicitlyAccepts(_ mediaType: String) -> Bool {
        ranges.contains { !$0.isRefused && mediaType == "\($0.type)/\($0.subtype)" }
    }

    /// Whether any type of this family is named, such as `multipart/related` or `multipart/*` for `multipart`.
    package func explicitlyAccepts(anyOf type: String) -> Bool {
        ranges.contains { !$0.isRefused && $0.type == type }
    }

    /// Whether `_bulk_get` answers in JSON: only if `application/json` is named and no multipart type is.
    ///
    /// PouchDB and CouchDB send such a header. Couchbase Lite for .NET names both types and silently loses a JSON response.
    package var wantsJSONRatherThanMultipart: Bool {
        explicitlyAccepts("application/json") && !explicitlyAccepts(anyOf: "multipart")
    }

    private static func range(_ bytes: ArraySlice<UInt8>) -> MediaRange? {
        guard let mediaType = MediaType(ASCII.text(bytes)) else { return nil }
        return MediaRange(type: mediaType.type, subtype: mediaType.subtype, isRefused: isZero(mediaType.parameters["q"]))
    }

    /// Whether the weight is zero, as in `q=0`, `q=0.0`, `q=0.000`: not acceptable. A malformed weight is not zero.
    private static func isZero(_ weight: String?) -> Bool {
        guard let weight, weight.utf8.first == UInt8(ascii: "0") else { return false }
        return weight.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == ASCII.dot }
    }
}
