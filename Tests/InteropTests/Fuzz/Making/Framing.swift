/// The framing of a request's body: valid, or not.
enum Framing: Sendable, CaseIterable {
    case length, chunks, trailers
    // The following cases are ambiguous or false.
    case oldVersion, tooShort, tooLong, noLength, twoLengths, lengthAndChunks, negativeLength, hugeLength, lettersForLength, badChunk,
        hugeChunk,
        unfinishedChunks, cutOff, cutHead, strangeEncoding, bareLineFeeds

    /// Whether the server can read it in only one way.
    var isRight: Bool { self == .length || self == .chunks || self == .trailers }

    var version: String { self == .oldVersion ? "HTTP/1.0" : "HTTP/1.1" }

    /// The head's last lines, and the body.
    func rest(of body: [UInt8]) -> [UInt8] {
        switch self {
        case .length: field("Content-Length", "\(body.count)") + end + body
        case .chunks: chunked + Self.pieces(of: body) + text("0\r\n\r\n")
        case .trailers: chunked + Self.pieces(of: body, extension: ";a=\"b;c\"") + text("0;x\r\nX-Checksum: 1\r\nContent-Length: 5\r\n\r\n")
        case .oldVersion: field("Connection", "keep-alive") + chunked + Self.pieces(of: body) + text("0\r\n\r\n")
        case .tooShort: field("Content-Length", "\(body.count / 2)") + end + body
        case .tooLong: field("Content-Length", "\(body.count + 7)") + end + body
        case .noLength: end + body
        case .twoLengths: field("Content-Length", "\(body.count)") + field("Content-Length", "\(body.count + 1)") + end + body
        case .lengthAndChunks: field("Content-Length", "\(body.count)") + chunked + Self.pieces(of: body) + text("0\r\n\r\n")
        case .negativeLength: field("Content-Length", "-1") + end + body
        case .hugeLength: field("Content-Length", "18446744073709551615") + end + body
        case .lettersForLength: field("Content-Length", "0x10") + end + body
        case .badChunk: chunked + text("zz\r\n") + body + text("\r\n0\r\n\r\n")
        case .hugeChunk: chunked + text("FFFFFFFFFFFFFFFF\r\n") + body + text("\r\n0\r\n\r\n")
        case .unfinishedChunks: chunked + Self.pieces(of: body)
        case .cutOff: field("Content-Length", "\(body.count + 1)") + end + Array(body.prefix(body.count / 2))
        case .cutHead: text("X-Cut: \(body.count)")
        case .strangeEncoding: field("Transfer-Encoding", "chunked, x") + end + body
        case .bareLineFeeds: text("X-A: b\nContent-Length: \(body.count)\n\n") + body
        }
    }

    private var chunked: [UInt8] { field("Transfer-Encoding", "chunked") + end }
    private var end: [UInt8] { text("\r\n") }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private func field(_ name: String, _ value: String) -> [UInt8] { text("\(name): \(value)\r\n") }

    private static func pieces(of body: [UInt8], extension tail: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, body.count / 3))
            rest = rest.dropFirst(piece.count)
            bytes += Array("\(String(piece.count, radix: 16))\(tail)\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        return bytes
    }
}
