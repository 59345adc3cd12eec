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
