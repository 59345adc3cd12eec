/// What deflated bytes are wrapped in.
public enum CompressionWrapping: Sendable, Hashable {
    /// gzip, RFC 1952.
    case gzip

    /// Nothing, RFC 1951, with a window of `1 << bits` bytes: 9 to 15.
    case none(bits: Int32)

    /// zlib's way of saying so.
    var windowBits: Int32 {
        switch self {
        case .gzip: 31
        case .none(let bits): -bits
        }
    }
}
