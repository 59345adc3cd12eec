/// What deflated bytes are wrapped in.
public enum CompressionFormat: Sendable {
    /// gzip, RFC 1952: what HTTP's `gzip` means.
    case gzip
    /// Nothing, RFC 1951.
    case raw

    var windowBits: Int32 {
        switch self {
        case .gzip: 31
        case .raw: -15
        }
    }
}
