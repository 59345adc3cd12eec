/// What a peer or a caller did that BLIP does not allow.
///
/// An error that ``BLIPConnection/receive(_:)-(UnsafeRawBufferPointer)`` throws is final: the running checksum and the inflate
/// stream can't be brought back in step, so the host closes the connection with ``closeCode``. An error that a sending method throws
/// leaves the connection as it was.
public struct BLIPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public let code: Code

    /// What was wrong, where, and what to do about it.
    public let message: String

    /// The fault that led to this one, if any: zlib's own words, for example.
    public let cause: String?

    /// The WebSocket status code to close the connection with: 1009 for something too large, otherwise 1011.
    ///
    /// Never 1000 or 1001, which make Couchbase Lite 2.8 and later stop as if all had gone well (docs/protocol/modern-2x.md#closing).
    public var closeCode: UInt16 {
        switch code {
        case .frameTooLarge, .messageTooLarge: 1009
        default: 1011
        }
    }

    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }

    init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
