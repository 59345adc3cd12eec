/// The target of an HTTP request: its path, cut into segments before it is decoded, and its query.
///
/// Parsed by hand, because 1.x clients send what RFC 3986 forbids: Couchbase Lite for .NET puts document IDs with raw
/// brackets into its URLs. Spaces and control characters are refused. Nothing is normalised: `.` and `..`, encoded or
/// not, are segments like any other, and a double slash leaves an empty segment, so that no spelling of a path
/// reaches another path's route.
public struct RequestTarget: Sendable, Hashable {
    /// Bounds on what is looked at.
    public struct Limits: Sendable, Hashable {
        /// Of the whole target, in bytes. PouchDB 5 to 7 send up to 100 document IDs in a query.
        public var length: Int
        /// Of the path. IDs that .NET sends unescaped have as many as they have slashes.
        public var segments: Int
        /// Of the query.
        public var queryItems: Int

        /// Limits that every request of a known client keeps.
        public init(length: Int = 65_536, segments: Int = 512, queryItems: Int = 256) {
            self.length = length
            self.segments = segments
            self.queryItems = queryItems
        }
    }

    /// The host and port of a target that is a whole URL, as proxies send it.
    public let authority: String?
    /// As it was sent, from its first slash up to the query; `*` for the server as such.
    public let rawPath: String
    /// What stands between the slashes. A slash at the end adds none, so `/db` and `/db/` have the same segments.
    public let segments: [PathSegment]
    /// Whether the path ends with a slash, as `/` does too.
    public let hasTrailingSlash: Bool
    /// What follows the first question mark.
    public let query: Query

    /// Parses a request line's target.
    ///
    /// - Throws: an error that the request is to be answered with.
    public init(_ target: String, limits: Limits = Limits()) throws(RequestTargetError) {
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

    /// Whether two slashes stand side by side somewhere. Routes that take no free text there should refuse such a path.
    public var hasEmptySegment: Bool { segments.contains(where: \.isEmpty) }

    /// The segments from an index on, decoded and joined by slashes: attachment names with plain slashes (PouchDB),
    /// document IDs that came unescaped (.NET).
    ///
    /// - Parameter keepingTrailingSlash: whether a slash at the path's end belongs to the name.
    public func joinedSegments(from index: Int, keepingTrailingSlash: Bool = false) -> String {
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

/// What stands between two slashes of a request's path.
public struct PathSegment: Sendable, Hashable {
    /// As it was sent.
    public let raw: String
    /// Percent-decoded; may contain slashes, which then came as `%2F`. A `+` is a plus.
    ///
    /// Swift compares strings by canonical equivalence, document IDs are told apart by their bytes: where the
    /// difference matters compare `value.utf8`.
    public let value: String

    /// Whether two slashes stood side by side.
    public var isEmpty: Bool { raw.isEmpty }

    init(_ bytes: ArraySlice<UInt8>) throws(RequestTargetError) {
        raw = String(decoding: bytes, as: UTF8.self)
        value = bytes.contains(ASCII.percent) ? try PercentEncoding.decode(bytes) : raw
    }
}

/// Why a request's target was refused.
public struct RequestTargetError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The target is longer than the limit.
        public static let tooLong = Code(description: "tooLong")
        /// More path segments than the limit.
        public static let tooManySegments = Code(description: "tooManySegments")
        /// More query items than the limit.
        public static let tooManyQueryItems = Code(description: "tooManyQueryItems")
        /// Neither a path nor a URL nor `*`.
        public static let malformed = Code(description: "malformed")
        /// A space, a control character, or an encoded NUL.
        public static let forbiddenCharacter = Code(description: "forbiddenCharacter")
        /// A `%` without two hexadecimal digits.
        public static let invalidEscape = Code(description: "invalidEscape")
        /// Percent-decoded bytes that are no UTF-8.
        public static let invalidUTF8 = Code(description: "invalidUTF8")
        /// A query item whose value is not of the type it must have.
        public static let invalidParameter = Code(description: "invalidParameter")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, where, and what to do; free of line breaks and fit for a `reason`.
    public let message: String

    /// The HTTP status that answers it: 414 for a target that is too long (CouchDB's replicator then asks for less), else 400.
    public var status: Int { code == .tooLong ? 414 : 400 }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension RequestTargetError: CustomStringConvertible {
    public var description: String { message }
}
