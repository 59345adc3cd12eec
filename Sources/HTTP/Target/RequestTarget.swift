/// The target of an HTTP request: its path, split into segments before decoding, and its query.
///
/// The parser is custom, because 1.x clients violate RFC 3986: Couchbase Lite for .NET sends document IDs with raw brackets in its URLs.
/// Spaces and control characters are refused.
///
/// Nothing is normalised: `.` and `..`, encoded or not, are ordinary segments, and a double slash results in an empty segment. So no
/// spelling of a path reaches another path's route.
package struct RequestTarget: Sendable, Hashable {
    /// Limits on the target.
    package struct Limits: Sendable, Hashable {
        /// The maximum length of the whole target, in bytes. PouchDB 5 to 7 send up to 100 document IDs in a query.
        package var length: Int
        /// The maximum number of path segments. IDs that .NET sends unescaped result in one segment per slash.
        package var segments: Int
        /// The maximum number of query items.
        package var queryItems: Int

        /// Creates limits; no known client exceeds the defaults.
        package init(length: Int = 65_536, segments: Int = 512, queryItems: Int = 256) {
            self.length = length
            self.segments = segments
            self.queryItems = queryItems
        }
    }

    /// The host and port, if the target is a whole URL, as clients send it to proxies.
    package let authority: String?
    /// The path as sent, from its first slash to the query; `*` for the server itself.
    package let rawPath: String
    /// The segments between the slashes. A trailing slash adds none, so `/db` and `/db/` have the same segments.
    package let segments: [PathSegment]
    /// Whether the path ends with a slash; true for `/`.
    package let hasTrailingSlash: Bool
    /// The query after the first question mark.
    package let query: Query

    /// Parses a request line's target.
    ///
    /// - Throws: The error for the response.
    package init(_ target: String, limits: Limits = Limits()) throws(RequestTargetError) {
        let bytes = Array(target.utf8)
        guard bytes.count <= limits.length else {
            throw RequestTargetError(
                .tooLong, "The URL has \(bytes.count) bytes, the limit is \(limits.length): send the long part in a POST body.")
        }
        if let index = bytes.firstIndex(where: { ASCII.isControl($0) || $0 == ASCII.space }) {
            throw RequestTargetError(.forbiddenCharacter, "The URL has a space or control character at byte \(index): percent-encode it.")
        }
        let pathAndQuery: ArraySlice<UInt8>
        (authority, pathAndQuery) = try Self.splitAuthority(bytes[...])
        let path = pathAndQuery.prefix { $0 != ASCII.question }
        rawPath = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        hasTrailingSlash = path.isEmpty || path.last == ASCII.slash
        segments = try Self.segments(path, limit: limits.segments)
        query = try Query(parsing: pathAndQuery[path.endIndex...].dropFirst(), limit: limits.queryItems)
    }

    /// Whether the path contains two adjacent slashes. Routes that accept no free text at that position should refuse such a path.
    package var hasEmptySegment: Bool { segments.contains(where: \.isEmpty) }

    /// The decoded segments from an index on, joined by slashes: attachment names with plain slashes (PouchDB), unescaped document IDs (.NET).
    ///
    /// - Parameter keepingTrailingSlash: Whether a slash at the path's end belongs to the name.
    package func joinedSegments(from index: Int, keepingTrailingSlash: Bool = false) -> String {
        let name = segments.dropFirst(index).map(\.value).joined(separator: "/")
        return keepingTrailingSlash && hasTrailingSlash ? name + "/" : name
    }

    private static func splitAuthority(
        _ bytes: ArraySlice<UInt8>
    ) throws(RequestTargetError) -> (authority: String?, rest: ArraySlice<UInt8>) {
        if bytes.first == ASCII.slash || bytes.elementsEqual([ASCII.asterisk]) { return (nil, bytes) }
        let scheme = ASCII.lowercasedText(bytes.prefix(8))
        let schemeLength = scheme.utf8.starts(with: "http://".utf8) ? 7 : scheme == "https://" ? 8 : 0
        let rest = bytes.dropFirst(schemeLength)
        let authority = rest.prefix { $0 != ASCII.slash && $0 != ASCII.question }
        guard schemeLength > 0, !authority.isEmpty else {
            throw RequestTargetError(.malformed, "The request's target must be a path that begins with a slash, or an http URL.")
        }
        return (String(decoding: authority, as: UTF8.self), rest[authority.endIndex...])
    }

    private static func segments(_ path: ArraySlice<UInt8>, limit: Int) throws(RequestTargetError) -> [PathSegment] {
        guard path.first == ASCII.slash else { return [] }
        var segments: [PathSegment] = []
        var rest = path.dropFirst()
        while !rest.isEmpty {
            guard segments.count < limit else {
                throw RequestTargetError(
                    .tooManySegments, "The URL's path has more than \(limit) segments: percent-encode slashes in names.")
            }
            let segment = rest.prefix { $0 != ASCII.slash }
            segments.append(try PathSegment(segment))
            rest = rest[segment.endIndex...].dropFirst()
        }
        return segments
    }
}

/// The text between two slashes of a request's path.
package struct PathSegment: Sendable, Hashable {
    /// The segment as sent.
    package let raw: String
    /// The percent-decoded segment, which may contain slashes sent as `%2F`. A `+` is a plus.
    ///
    /// Swift compares strings by canonical equivalence, but document IDs differ if their bytes do. Compare `value.utf8` if the difference
    /// matters.
    package let value: String

    /// Whether the segment is empty, from two adjacent slashes.
    package var isEmpty: Bool { raw.isEmpty }

    init(_ bytes: ArraySlice<UInt8>) throws(RequestTargetError) {
        raw = String(decoding: bytes, as: UTF8.self)
        value = bytes.contains(ASCII.percent) ? try PercentEncoding.decode(bytes) : raw
    }
}

/// An error in a request's target.
package struct RequestTargetError: Error, Sendable, Hashable {
    /// The kinds of failure.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The target is longer than the limit.
        case tooLong
        /// The path has more segments than the limit.
        case tooManySegments
        /// The query has more items than the limit.
        case tooManyQueryItems
        /// The target is not a path, not a URL and not `*`.
        case malformed
        /// The target has a space, a control character, or an encoded NUL.
        case forbiddenCharacter
        /// A `%` is not followed by two hexadecimal digits.
        case invalidEscape
        /// The percent-decoded bytes are not UTF-8.
        case invalidUTF8
        /// A query item's value does not have the required type.
        case invalidParameter

        /// The code's name.
        package var description: String { rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, where, and how to fix it; without line breaks, for use as a `reason`.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension RequestTargetError: CustomStringConvertible {
    package var description: String { message }
}
