extension BLIPError {
    /// The kinds of fault.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A frame that is cut short, or whose numbers can't be read.
        public static let badFrame = Code("bad frame")
        /// A frame's CRC32 is not that of the bytes received so far.
        public static let badChecksum = Code("bad checksum")
        /// A new request's number is not the one after the last request's.
        public static let badMessageNumber = Code("bad message number")
        /// A reply to a request that was not sent, wants none, or has had its reply.
        public static let replyToNothing = Code("reply to nothing")
        /// A frame of more bytes than ``BLIPLimits/maxFrameSize``.
        public static let frameTooLarge = Code("frame too large")
        /// A message whose body has more bytes than ``BLIPLimits/maxBodySize``.
        public static let messageTooLarge = Code("message too large")
        /// Properties of more bytes than ``BLIPLimits/maxPropertiesSize``.
        public static let propertiesTooLong = Code("properties too long")
        /// Properties that are not pairs of NUL-terminated UTF-8 strings with each key once.
        public static let malformedProperties = Code("malformed properties")
        /// More unfinished messages at a time than ``BLIPLimits/maxOpenMessages``.
        public static let tooManyOpenMessages = Code("too many open messages")
        /// More bytes in unfinished messages and unconsumed parts than ``BLIPLimits/maxBufferedBytes``.
        public static let tooManyBufferedBytes = Code("too many buffered bytes")
        /// A compressed frame that does not continue the deflate stream.
        public static let decompressionFailed = Code("decompression failed")
        /// A compressed frame that inflates to more bytes than it may.
        public static let decompressionBomb = Code("decompression bomb")
        /// zlib could not compress: it has no memory.
        public static let compressionFailed = Code("compression failed")
    }
}
