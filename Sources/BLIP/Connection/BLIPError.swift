/// A violation of BLIP by a peer or a caller.
///
/// An error that ``BLIPConnection/receive(_:)-(UnsafeRawBufferPointer)`` throws is final: the running checksum and the inflate stream
/// cannot be resynchronised, so the host closes the connection with ``closeCode``. An error that a sending method throws leaves the
/// connection unchanged.
package struct BLIPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package let code: Code

    /// What was wrong, where, and how to fix it.
    package let message: String

    /// The underlying error, if any, for example zlib's message.
    package let cause: String?

    /// The WebSocket status code to close the connection with: 1009 for an exceeded size, otherwise 1011.
    ///
    /// Never 1000 or 1001: Couchbase Lite 2.8 and later treat these as success and stop (docs/protocol/modern-2x.md#closing).
    package var closeCode: UInt16 {
        switch code {
        case .frameTooLarge, .messageTooLarge: 1009
        default: 1011
        }
    }

    package var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }

    init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension BLIPError {
    /// The kinds of errors.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A frame is truncated, or its numbers are malformed.
        package static let badFrame = Code("bad frame")
        /// A frame's CRC32 does not match the bytes received so far.
        package static let badChecksum = Code("bad checksum")
        /// A new request's number does not directly follow the last request's.
        package static let badMessageNumber = Code("bad message number")
        /// A reply refers to a request that was not sent, wants no reply, or has been answered.
        package static let replyToNothing = Code("reply to nothing")
        /// A frame exceeds ``BLIPLimits/maxFrameSize``.
        package static let frameTooLarge = Code("frame too large")
        /// A message's body exceeds ``BLIPLimits/maxBodySize``.
        package static let messageTooLarge = Code("message too large")
        /// The properties exceed ``BLIPLimits/maxPropertiesSize``.
        package static let propertiesTooLong = Code("properties too long")
        /// The properties are not pairs of NUL-terminated UTF-8 strings with unique keys.
        package static let malformedProperties = Code("malformed properties")
        /// The number of incomplete messages exceeds ``BLIPLimits/maxOpenMessages``.
        package static let tooManyOpenMessages = Code("too many open messages")
        /// The bytes in incomplete messages and unconsumed parts exceed ``BLIPLimits/maxBufferedBytes``.
        package static let tooManyBufferedBytes = Code("too many buffered bytes")
        /// A compressed frame does not continue the deflate stream.
        package static let decompressionFailed = Code("decompression failed")
        /// A compressed frame inflates to more bytes than its limit.
        package static let decompressionBomb = Code("decompression bomb")
        /// zlib cannot compress, because memory cannot be allocated.
        package static let compressionFailed = Code("compression failed")
    }
}
