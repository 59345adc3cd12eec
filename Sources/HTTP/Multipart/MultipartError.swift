/// An error in a multipart body, or in the header that announces it.
package struct MultipartError: Error, Sendable, Hashable {
    /// The kinds of failure.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        package let description: String

        /// The content type is not multipart.
        package static let notMultipart = Code(description: "notMultipart")
        /// The content type has no `boundary` parameter.
        package static let missingBoundary = Code(description: "missingBoundary")
        /// The boundary is empty, too long, or contains an invalid character.
        package static let invalidBoundary = Code(description: "invalidBoundary")
        /// The body ended before its closing delimiter.
        package static let truncated = Code(description: "truncated")
        /// The text before the first delimiter exceeds the limit.
        package static let preambleTooLarge = Code(description: "preambleTooLarge")
        /// The bytes after the closing delimiter exceed the limit.
        package static let epilogueTooLarge = Code(description: "epilogueTooLarge")
        /// A part's headers exceed the size limit.
        package static let headerTooLarge = Code(description: "headerTooLarge")
        /// A part has more headers than the limit.
        package static let tooManyHeaders = Code(description: "tooManyHeaders")
        /// A part's header is not a `Name: value` line that ends with CRLF.
        package static let malformedHeader = Code(description: "malformedHeader")
        /// A header that may occur only once is repeated.
        package static let duplicateHeader = Code(description: "duplicateHeader")
        /// The body has more parts than the limit.
        package static let tooManyParts = Code(description: "tooManyParts")
    }

    /// The kind of failure.
    package let code: Code
    /// What is wrong, where, and how to fix it; without line breaks, for use as a `reason`.
    package let message: String

    /// The HTTP status for the error: 413 for an exceeded limit, 415 if the body is not multipart, else 400.
    package var status: Int {
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
    package var description: String { message }
}
