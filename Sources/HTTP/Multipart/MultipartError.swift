/// An error in a multipart body, or in the header that announces it.
package struct MultipartError: Error, Sendable, Hashable {
    /// The kinds of failure.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The content type is not multipart.
        case notMultipart
        /// The content type has no `boundary` parameter.
        case missingBoundary
        /// The boundary is empty, too long, or contains an invalid character.
        case invalidBoundary
        /// The body ended before its closing delimiter.
        case truncated
        /// The text before the first delimiter exceeds the limit.
        case preambleTooLarge
        /// The bytes after the closing delimiter exceed the limit.
        case epilogueTooLarge
        /// A part's headers exceed the size limit.
        case headerTooLarge
        /// A part has more headers than the limit.
        case tooManyHeaders
        /// A part's header is not a `Name: value` line that ends with CRLF.
        case malformedHeader
        /// A header that may occur only once is repeated.
        case duplicateHeader
        /// The body has more parts than the limit.
        case tooManyParts

        /// The code's name.
        package var description: String { rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, where, and how to fix it; without line breaks, for use as a `reason`.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension MultipartError: CustomStringConvertible {
    package var description: String { message }
}
