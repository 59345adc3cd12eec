/// Why a multipart body, or the header that announces it, was refused.
public struct MultipartError: Error, Sendable, Hashable {
    /// The kinds of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The content type is not multipart.
        public static let notMultipart = Code(description: "notMultipart")
        /// The content type has no `boundary` parameter.
        public static let missingBoundary = Code(description: "missingBoundary")
        /// The boundary is empty, too long, or has characters that no boundary may have.
        public static let invalidBoundary = Code(description: "invalidBoundary")
        /// The body ended before its closing delimiter.
        public static let truncated = Code(description: "truncated")
        /// More text before the first delimiter than the limit.
        public static let preambleTooLarge = Code(description: "preambleTooLarge")
        /// More bytes after the closing delimiter than the limit.
        public static let epilogueTooLarge = Code(description: "epilogueTooLarge")
        /// A part's headers have more bytes than the limit.
        public static let headerTooLarge = Code(description: "headerTooLarge")
        /// A part has more headers than the limit.
        public static let tooManyHeaders = Code(description: "tooManyHeaders")
        /// A part's header is no `Name: value` line that ends with CRLF.
        public static let malformedHeader = Code(description: "malformedHeader")
        /// A header that may come once came again.
        public static let duplicateHeader = Code(description: "duplicateHeader")
        /// More parts than the limit.
        public static let tooManyParts = Code(description: "tooManyParts")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, where, and what to do; free of line breaks and fit for a `reason`.
    public let message: String

    /// The HTTP status that answers it: 413 for what is over a limit, 415 where the body is not multipart, else 400.
    public var status: Int {
        switch code {
        case .preambleTooLarge, .epilogueTooLarge, .headerTooLarge, .tooManyHeaders, .tooManyParts: 413
        case .notMultipart: 415
        default: 400
        }
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension MultipartError: CustomStringConvertible {
    public var description: String { message }
}
