/// The delimiter text between the parts of a multipart body.
package struct MultipartBoundary: Sendable, Hashable {
    /// RFC 2046 allows 70 characters; some writers use more.
    package static let maximumLength = 200

    /// The boundary without the leading hyphens.
    package let text: String

    /// Validates a boundary: 1 to 200 characters of printable ASCII, the last not a space.
    ///
    /// - Throws: `invalidBoundary`.
    package init(_ text: String) throws(MultipartError) {
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

    /// The boundary in a `Content-Type` header, quoted or not.
    ///
    /// - Throws: `notMultipart`, `missingBoundary`, `invalidBoundary`.
    package init(contentType: MediaType?) throws(MultipartError) {
        guard let contentType, contentType.isMultipart else {
            throw MultipartError(.notMultipart, "The content type must be multipart.")
        }
        guard let boundary = contentType.boundary else {
            throw MultipartError(.missingBoundary, "The content type \(contentType.essence) must have a boundary parameter.")
        }
        try self.init(boundary)
    }

    /// Creates a boundary of 32 hexadecimal digits: 128 random bits, which do not occur in content by chance.
    package static func random() -> MultipartBoundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Creates a boundary from the given source of randomness.
    package static func random(using generator: inout some RandomNumberGenerator) -> MultipartBoundary {
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
    ///   - isQuoted: True for the usual `boundary="..."`; false for CouchDB's form, which requires that the boundary is a token.
    package func contentType(_ subtype: String, isQuoted: Bool = true) -> String {
        "multipart/\(subtype); boundary=\(isQuoted ? HeaderParameters.quoted(text) : text)"
    }
}

/// Searches a stream of bytes for CRLF, `--` and a boundary, by Horspool's method, which skips most bytes.
///
/// CR occurs in the delimiter only at its start. So after a mismatch, the next match begins at the mismatching byte at the earliest. For
/// a match across chunks it therefore suffices to store the number of matched bytes, not the bytes.
struct DelimiterSearch: Sendable {
    /// CRLF, `--`, boundary.
    let delimiter: [UInt8]
    /// For each value of the last byte of the window, how far the window can move.
    private let skips: [UInt8]

    init(_ boundary: MultipartBoundary) {
        delimiter = [ASCII.carriageReturn, ASCII.lineFeed, ASCII.hyphen, ASCII.hyphen] + boundary.text.utf8
        // A delimiter has at most 204 bytes, so distances fit a byte.
        var skips = [UInt8](repeating: UInt8(delimiter.count), count: 256)
        for (index, byte) in delimiter.dropLast().enumerated() { skips[Int(byte)] = UInt8(delimiter.count - 1 - index) }
        self.skips = skips
    }

    /// The first offset at which the delimiter begins, or may begin: from there, all bytes up to the chunk's end match.
    ///
    /// - Returns: The offset and the number of matching bytes; the chunk's end and 0 if there is no match.
    func firstMatch(in chunk: ArraySlice<UInt8>) -> (start: Int, length: Int) {
        let (offset, length) = chunk.withUnsafeBufferPointer { bytes in
            let offset = skipAhead(bytes)
            if offset + delimiter.count <= bytes.count { return (offset, delimiter.count) }
            return partialMatch(bytes, from: offset)
        }
        return (chunk.startIndex + offset, length)
    }

    /// The first complete match, or the first offset at which a complete one no longer fits.
    ///
    /// A step never skips an offset at which the last byte of the window could belong to a match, so it also skips no partial match.
    private func skipAhead(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var offset = 0
        while offset + delimiter.count <= bytes.count {
            let last = bytes[offset + delimiter.count - 1]
            if bytes[offset] == ASCII.carriageReturn, matches(bytes, at: offset, count: delimiter.count) { return offset }
            offset += Int(skips[Int(last)])
        }
        return offset
    }

    private func partialMatch(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (Int, Int) {
        for offset in start..<bytes.count
        where bytes[offset] == ASCII.carriageReturn && matches(bytes, at: offset, count: bytes.count - offset) {
            return (offset, bytes.count - offset)
        }
        return (bytes.count, 0)
    }

    private func matches(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, count: Int) -> Bool {
        for index in 0..<count where bytes[offset + index] != delimiter[index] { return false }
        return true
    }
}
