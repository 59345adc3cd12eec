/// The text that separates the parts of a multipart body.
public struct MultipartBoundary: Sendable, Hashable {
    /// RFC 2046 allows 70 characters; some writers go beyond.
    public static let maximumLength = 200

    /// The boundary without the hyphens before it.
    public let text: String

    /// Checks a boundary: 1 to 200 characters of printable ASCII, the last not a space.
    ///
    /// - Throws: `invalidBoundary`.
    public init(_ text: String) throws(MultipartError) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= Self.maximumLength, bytes.last != ASCII.space,
            bytes.allSatisfy({ $0 >= ASCII.space && $0 < ASCII.delete })
        else {
            throw MultipartError(
                .invalidBoundary,
                "The boundary of the multipart body must have 1 to \(Self.maximumLength) printable ASCII characters, the last not a space.")
        }
        self.text = text
    }

    /// The boundary that a `Content-Type` header announces, quoted or not.
    ///
    /// - Throws: `notMultipart`, `missingBoundary`, `invalidBoundary`.
    public init(contentType: MediaType?) throws(MultipartError) {
        guard let contentType, contentType.isMultipart else {
            throw MultipartError(.notMultipart, "The content type must be multipart.")
        }
        guard let boundary = contentType.boundary else {
            throw MultipartError(.missingBoundary, "The content type \(contentType.essence) must have a boundary parameter.")
        }
        try self.init(boundary)
    }

    /// A fresh boundary of 32 hexadecimal digits: 128 random bits, which no content meets by chance.
    public static func random() -> MultipartBoundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A fresh boundary from that source of randomness.
    public static func random(using generator: inout some RandomNumberGenerator) -> MultipartBoundary {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }
        return MultipartBoundary(trusted: String(decoding: bytes, as: UTF8.self))
    }

    private init(trusted text: String) {
        self.text = text
    }

    /// A `Content-Type` header's value with this boundary.
    ///
    /// - Parameters:
    ///   - subtype: `mixed` for lists of revisions, `related` for a document with its attachments.
    ///   - isQuoted: true for the usual `boundary="..."`; false for CouchDB's form, where the boundary must be a token.
    public func contentType(_ subtype: String, isQuoted: Bool = true) -> String {
        "multipart/\(subtype); boundary=\(isQuoted ? HeaderParameters.quoted(text) : text)"
    }
}
