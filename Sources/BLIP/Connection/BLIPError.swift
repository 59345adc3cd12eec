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
        case .badFrame, .badChecksum, .badMessageNumber, .replyToNothing, .propertiesTooLong, .malformedProperties, .tooManyOpenMessages,
            .tooManyBufferedBytes, .decompressionFailed, .decompressionBomb, .compressionFailed:
            1011
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
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A frame is truncated, or its numbers are malformed.
        case badFrame = "bad frame"
        /// A frame's CRC32 does not match the bytes received so far.
        case badChecksum = "bad checksum"
        /// A new request's number does not directly follow the last request's.
        case badMessageNumber = "bad message number"
        /// A reply refers to a request that was not sent, wants no reply, or has been answered.
        case replyToNothing = "reply to nothing"
        /// A frame exceeds ``BLIPLimits/maxFrameSize``.
        case frameTooLarge = "frame too large"
        /// A message's body exceeds ``BLIPLimits/maxBodySize``.
        case messageTooLarge = "message too large"
        /// The properties exceed ``BLIPLimits/maxPropertiesSize``.
        case propertiesTooLong = "properties too long"
        /// The properties are not pairs of NUL-terminated UTF-8 strings with unique keys.
        case malformedProperties = "malformed properties"
        /// The number of incomplete messages exceeds ``BLIPLimits/maxOpenMessages``.
        case tooManyOpenMessages = "too many open messages"
        /// The bytes in incomplete messages and unconsumed parts exceed ``BLIPLimits/maxBufferedBytes``.
        case tooManyBufferedBytes = "too many buffered bytes"
        /// A compressed frame does not continue the deflate stream.
        case decompressionFailed = "decompression failed"
        /// A compressed frame inflates to more bytes than its limit.
        case decompressionBomb = "decompression bomb"
        /// zlib cannot compress, because memory cannot be allocated.
        case compressionFailed = "compression failed"

        package var description: String { rawValue }
    }
}
