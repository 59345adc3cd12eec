/// Writes the delimiters and headers of a multipart body; the parts' bodies go between, untouched.
///
/// Nothing follows the closing delimiter, not even a line end: CouchDB's replicator dies of it.
public struct MultipartWriter: Sendable {
    /// What separates the parts; to be announced by `boundary.contentType(_:)`.
    public let boundary: MultipartBoundary
    /// Whether the body begins with CRLF, as that of iOS does, rather than with the first delimiter.
    public let beginsWithLineBreak: Bool
    private var isFirst = true

    /// A writer of one body.
    public init(boundary: MultipartBoundary = .random(), beginsWithLineBreak: Bool = false) {
        self.boundary = boundary
        self.beginsWithLineBreak = beginsWithLineBreak
    }

    /// Adds what stands before a part's body: the delimiter, which ends the part before, the headers and the blank line.
    public mutating func beginPart(_ headers: PartHeaders, to bytes: inout [UInt8]) {
        writeDelimiter(to: &bytes)
        bytes += Self.lineBreak
        headers.write(to: &bytes)
        bytes += Self.lineBreak
    }

    /// Adds the closing delimiter. To be called once, after the last part; alone, it makes a body without parts.
    public mutating func finish(to bytes: inout [UInt8]) {
        writeDelimiter(to: &bytes)
        bytes += Self.dashes
    }

    /// What stands before a part's body.
    public mutating func beginPart(_ headers: PartHeaders) -> [UInt8] {
        var bytes: [UInt8] = []
        beginPart(headers, to: &bytes)
        return bytes
    }

    /// The closing delimiter.
    public mutating func finish() -> [UInt8] {
        var bytes: [UInt8] = []
        finish(to: &bytes)
        return bytes
    }

    /// The length in bytes of a whole body of parts with these headers and body lengths, for `Content-Length`.
    public func length(of parts: [(headers: PartHeaders, bodyLength: Int64)]) -> Int64 {
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
