/// The byte range that a `Range` header requests from a representation of known length (RFC 9110, 14.2).
///
/// Couchbase Lite for iOS resumes attachment downloads with `Range: bytes=n-`.
package enum ByteRange: Sendable, Hashable {
    /// 200 with the full representation: no range, several ranges, another unit or a malformed header.
    case full
    /// 206 with this range; never empty, within the length.
    case partial(Range<Int64>)
    /// 416: the range begins after the end.
    case unsatisfiable

    /// Parses the header's value for a representation of this length in bytes.
    package init(_ header: String?, length: Int64) {
        self = header.flatMap { Self.parse(Array($0.utf8)[...], length: length) } ?? .full
    }

    /// The value of `Content-Range`: with 206 the sent range, with 416 the length only, with 200 nil.
    package func contentRange(length: Int64) -> String? {
        switch self {
        case .full: nil
        case .partial(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
        case .unsatisfiable: "bytes */\(length)"
        }
    }

    private static func parse(_ header: ArraySlice<UInt8>, length: Int64) -> ByteRange? {
        let unit = ASCII.trimmed(header.prefix { $0 != ASCII.equals })
        let set = ASCII.trimmed(header.drop { $0 != ASCII.equals }.dropFirst())
        guard ASCII.lowercasedText(unit) == "bytes", let dash = set.firstIndex(of: ASCII.hyphen) else { return nil }
        let first = ASCII.trimmed(set[..<dash])
        let last = ASCII.trimmed(set[(dash + 1)...])
        if first.isEmpty {
            guard let count = ASCII.saturatingDecimal(last) else { return nil }
            return count == 0 || length == 0 ? .unsatisfiable : .partial(max(0, length - count)..<length)
        }
        guard let start = ASCII.saturatingDecimal(first) else { return nil }
        guard !last.isEmpty else { return start < length ? .partial(start..<length) : .unsatisfiable }
        guard let end = ASCII.saturatingDecimal(last), start <= end else { return nil }
        return start < length ? .partial(start..<(min(end, length - 1) + 1)) : .unsatisfiable
    }
}
