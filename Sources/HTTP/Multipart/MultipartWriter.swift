/// Writes the delimiters and headers of a multipart body; the caller writes the parts' bodies in between.
///
/// Nothing follows the closing delimiter, not even a line end: it would crash CouchDB's replicator.
package struct MultipartWriter: Sendable {
    /// The boundary, to be announced with `boundary.contentType(_:)`.
    package let boundary: MultipartBoundary
    /// Whether the body begins with CRLF, as iOS writes it, rather than with the first delimiter.
    package let beginsWithLineBreak: Bool
    private var isFirst = true

    /// Creates a writer for one body.
    package init(boundary: MultipartBoundary = .random(), beginsWithLineBreak: Bool = false) {
        self.boundary = boundary
        self.beginsWithLineBreak = beginsWithLineBreak
    }

    /// Appends the start of a part: the delimiter, which also ends the preceding part, the headers and the blank line.
    package mutating func beginPart(_ headers: PartHeaders, to bytes: inout [UInt8]) {
        writeDelimiter(to: &bytes)
        bytes += Self.lineBreak
        headers.write(to: &bytes)
        bytes += Self.lineBreak
    }

    /// Appends the closing delimiter. Call it once, after the last part; without parts, it forms an empty body.
    package mutating func finish(to bytes: inout [UInt8]) {
        writeDelimiter(to: &bytes)
        bytes += Self.dashes
    }

    /// The start of a part.
    package mutating func beginPart(_ headers: PartHeaders) -> [UInt8] {
        var bytes: [UInt8] = []
        beginPart(headers, to: &bytes)
        return bytes
    }

    /// The closing delimiter.
    package mutating func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        finish(to: &bytes)
        return bytes
    }

    /// The length in bytes of a whole body with these headers and part lengths, for `Content-Length`.
    package func length(of parts: [(headers: PartHeaders, bodyLength: Int64)]) -> Int64 {
        let delimiter = Int64(Self.lineBreak.count + Self.dashes.count + boundary.text.utf8.count)
        let framing = delimiter + Int64(2 * Self.lineBreak.count)
        let content = parts.reduce(0) { $0 + framing + Int64($1.headers.writtenLength) + $1.bodyLength }
        return content + delimiter + Int64(Self.dashes.count) - (beginsWithLineBreak ? 0 : Int64(Self.lineBreak.count))
    }

    private static let lineBreak: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]
    private static let dashes: [UInt8] = [ASCII.hyphen, ASCII.hyphen]

    private mutating func writeDelimiter(to bytes: inout [UInt8]) {
        if !isFirst || beginsWithLineBreak { bytes += Self.lineBreak }
        isFirst = false
        bytes += Self.dashes
        bytes += boundary.text.utf8
    }
}
