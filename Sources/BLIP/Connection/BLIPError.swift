/// What a peer or a caller did that BLIP does not allow.
///
/// An error that ``BLIPConnection/receive(_:)-(UnsafeRawBufferPointer)`` throws is final: the running checksum and the inflate
/// stream can't be brought back in step, so the host closes the connection with ``closeCode``. An error that a sending method throws
/// leaves the connection as it was.
package struct BLIPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    package let code: Code

    /// What was wrong, where, and what to do about it.
    package let message: String

    /// The fault that led to this one, if any: zlib's own words, for example.
    package let cause: String?

    /// The WebSocket status code to close the connection with: 1009 for something too large, otherwise 1011.
    ///
    /// Never 1000 or 1001, which make Couchbase Lite 2.8 and later stop as if all had gone well (docs/protocol/modern-2x.md#closing).
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
    /// The kinds of fault.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A frame that is cut short, or whose numbers can't be read.
        package static let badFrame = Code("bad frame")
        /// A frame's CRC32 is not that of the bytes received so far.
        package static let badChecksum = Code("bad checksum")
        /// A new request's number is not the one after the last request's.
        package static let badMessageNumber = Code("bad message number")
        /// A reply to a request that was not sent, wants none, or has had its reply.
        package static let replyToNothing = Code("reply to nothing")
        /// A frame of more bytes than ``BLIPLimits/maxFrameSize``.
        package static let frameTooLarge = Code("frame too large")
        /// A message whose body has more bytes than ``BLIPLimits/maxBodySize``.
        package static let messageTooLarge = Code("message too large")
        /// Properties of more bytes than ``BLIPLimits/maxPropertiesSize``.
        package static let propertiesTooLong = Code("properties too long")
        /// Properties that are not pairs of NUL-terminated UTF-8 strings with each key once.
        package static let malformedProperties = Code("malformed properties")
        /// More unfinished messages at a time than ``BLIPLimits/maxOpenMessages``.
        package static let tooManyOpenMessages = Code("too many open messages")
        /// More bytes in unfinished messages and unconsumed parts than ``BLIPLimits/maxBufferedBytes``.
        package static let tooManyBufferedBytes = Code("too many buffered bytes")
        /// A compressed frame that does not continue the deflate stream.
        package static let decompressionFailed = Code("decompression failed")
        /// A compressed frame that inflates to more bytes than it may.
        package static let decompressionBomb = Code("decompression bomb")
        /// zlib could not compress: it has no memory.
        package static let compressionFailed = Code("compression failed")
    }
}
