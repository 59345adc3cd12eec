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

/// Looks for CRLF, `--` and a boundary in a stream of bytes, by Horspool's method: most bytes are never looked at.
///
/// CR occurs in the delimiter at its start only. So where a match breaks off, the next one can begin at the byte that
/// broke it at the earliest, and no bytes need be kept from one chunk to the next: a count of those matched is enough.
struct DelimiterSearch: Sendable {
    /// CRLF, `--`, boundary.
    let delimiter: [UInt8]
    /// By the byte at a window's end, how far the window may be moved on.
    private let skips: [UInt8]

    init(_ boundary: MultipartBoundary) {
        delimiter = [ASCII.carriageReturn, ASCII.lineFeed, ASCII.hyphen, ASCII.hyphen] + boundary.text.utf8
        // A delimiter has at most 204 bytes, so that distances fit.
        var skips = [UInt8](repeating: UInt8(delimiter.count), count: 256)
        for (index, byte) in delimiter.dropLast().enumerated() { skips[Int(byte)] = UInt8(delimiter.count - 1 - index) }
        self.skips = skips
    }

    /// Where the delimiter begins, or may begin: the first place from which all bytes up to the chunk's end match.
    ///
    /// - Returns: the place and how many bytes match there; the chunk's end and 0 if there is none.
    func firstMatch(in chunk: ArraySlice<UInt8>) -> (start: Int, length: Int) {
        let (offset, length) = chunk.withUnsafeBufferPointer { bytes in
            let offset = skipAhead(bytes)
            if offset + delimiter.count <= bytes.count { return (offset, delimiter.count) }
            return partialMatch(bytes, from: offset)
        }
        return (chunk.startIndex + offset, length)
    }

    /// The first whole match, or the first place where no whole one fits any more. A step is never longer than the
    /// delimiter and passes no place from which the byte at the window's end could match, so none of a cut match either.
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
