/// `Content-Disposition: attachment; filename="name"`, which tells a part's attachment.
///
/// The literal prefix `attachment; filename=` is what Couchbase Lite 1.x readers test for. Writers differ, and all are
/// read here: iOS quotes and escapes by backslash, CouchDB quotes without escaping, Java does not quote at all (spaces
/// and semicolons arrive bare), .NET writes names outside ASCII as MIME encoded words.
public struct ContentDisposition: Sendable, Hashable {
    /// In lower case: `attachment`, `inline`.
    public let kind: String
    /// Unquoted and decoded; `nil` if the header has none.
    public let filename: String?

    /// A disposition to send.
    public init(kind: String = "attachment", filename: String?) {
        self.kind = kind
        self.filename = filename
    }

    /// Reads a header's value; `nil` if it does not begin with a token.
    public init?(_ header: some StringProtocol) {
        let bytes = Array(header.utf8)
        let kind = ASCII.trimmed(bytes.prefix { $0 != ASCII.semicolon })
        guard !kind.isEmpty, kind.allSatisfy(ASCII.isToken) else { return nil }
        self.kind = ASCII.lowercasedText(kind)
        filename = Self.filename(in: bytes.drop { $0 != ASCII.semicolon })
    }

    /// As a header's value. The name stands in quotes as raw UTF-8, `"` and `\` escaped by a backslash.
    public var rendered: String {
        guard let filename else { return kind }
        return "\(kind); filename=\(HeaderParameters.quoted(filename))"
    }

    private static let otherParameters = ["name", "filename*", "size", "creation-date", "modification-date", "read-date"]

    private static func filename(in parameters: ArraySlice<UInt8>) -> String? {
        var plain: String?
        var rest = parameters
        while true {
            rest = rest.drop { $0 == ASCII.semicolon || ASCII.isBlank($0) }
            guard !rest.isEmpty else { return plain }
            let field = rest.prefix { $0 != ASCII.equals && $0 != ASCII.semicolon }
            rest = rest[field.endIndex...]
            guard rest.first == ASCII.equals else { continue }
            rest = rest.dropFirst().drop(while: ASCII.isBlank)
            let name = ASCII.lowercasedText(ASCII.trimmed(field))
            switch name {
            case "filename":
                let (value, following) = filenameValue(at: rest)
                plain = plain ?? EncodedWord.decode(ASCII.text(value))
                rest = following
            case "filename*":
                let (value, following) = HeaderParameters.value(at: rest)
                if let extended = extendedValue(value) { return extended }
                rest = following
            default:
                rest = HeaderParameters.value(at: rest).rest
            }
        }
    }

    /// The name at the start of the bytes, and what follows it. What can't be a quoted string is taken as it stands:
    /// up to the last quote if there are two, else with its quote.
    private static func filenameValue(at bytes: ArraySlice<UInt8>) -> (value: [UInt8], rest: ArraySlice<UInt8>) {
        if let quoted = quotedString(at: bytes) { return quoted }
        if bytes.first == ASCII.quote, let last = bytes.lastIndex(of: ASCII.quote), last > bytes.startIndex {
            return (Array(bytes[(bytes.startIndex + 1)..<last]), bytes[(last + 1)...])
        }
        let end = endOfPlainName(in: bytes)
        return (Array(ASCII.trimmed(bytes[..<end])), bytes[end...])
    }

    /// A quoted string that the header's end or a semicolon follows, its backslashes resolved.
    private static func quotedString(at bytes: ArraySlice<UInt8>) -> (value: [UInt8], rest: ArraySlice<UInt8>)? {
        guard bytes.first == ASCII.quote else { return nil }
        var value: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            if byte == ASCII.quote {
                rest = rest.drop(while: ASCII.isBlank)
                return rest.isEmpty || rest.first == ASCII.semicolon ? (value, rest) : nil
            }
            value.append(byte == ASCII.backslash ? rest.popFirst() ?? byte : byte)
        }
        return nil
    }

    /// Where the name ends: at a `;` that another parameter follows. Any other semicolon is part of the name.
    private static func endOfPlainName(in bytes: ArraySlice<UInt8>) -> Int {
        for index in bytes.indices where bytes[index] == ASCII.semicolon {
            let next = bytes[(index + 1)...].prefix { $0 != ASCII.equals && $0 != ASCII.semicolon }
            guard next.endIndex < bytes.endIndex, bytes[next.endIndex] == ASCII.equals else { continue }
            if otherParameters.contains(ASCII.lowercasedText(ASCII.trimmed(next))) { return index }
        }
        return bytes.last == ASCII.semicolon ? bytes.endIndex - 1 : bytes.endIndex
    }

    /// RFC 8187: `utf-8'en'na%C3%AFve`.
    private static func extendedValue(_ bytes: [UInt8]) -> String? {
        let pieces = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, ASCII.lowercasedText(pieces[0]) == "utf-8" else { return nil }
        return try? PercentEncoding.decode(pieces[2])
    }
}

/// MIME encoded words (RFC 2047): `=?utf-8?B?bmHDr3Zl?=`, as .NET writes names outside ASCII.
enum EncodedWord {
    /// The text with its encoded words decoded. Text that is not made of encoded words alone is left as it is,
    /// and so is one in an unknown charset or with a broken encoding.
    static func decode(_ text: String) -> String {
        guard text.utf8.starts(with: "=?".utf8) else { return text }
        var bytes: [UInt8] = []
        for word in text.utf8.split(whereSeparator: ASCII.isBlank) {
            guard let decoded = decodeWord(word) else { return text }
            bytes += decoded
        }
        return String(validating: bytes, as: UTF8.self) ?? text
    }

    private static func decodeWord(_ word: Substring.UTF8View) -> [UInt8]? {
        guard word.count >= 6, word.starts(with: "=?".utf8), word.suffix(2).elementsEqual("?=".utf8) else { return nil }
        let pieces = word.dropFirst(2).dropLast(2).split(separator: ASCII.question, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        let decoded: [UInt8]? =
            switch ASCII.lowercasedText(pieces[1]) {
            case "b": LenientBase64.decode(pieces[2])
            case "q": decodeQ(pieces[2])
            default: nil
            }
        guard let decoded else { return nil }
        switch ASCII.lowercasedText(pieces[0]) {
        case "utf-8", "us-ascii": return decoded
        case "iso-8859-1": return Array(String(String.UnicodeScalarView(decoded.map { Unicode.Scalar($0) })).utf8)
        default: return nil
        }
    }

    private static func decodeQ(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case ASCII.underscore:
                bytes.append(ASCII.space)
            case ASCII.equals:
                guard let high = rest.popFirst().flatMap(ASCII.hexValue), let low = rest.popFirst().flatMap(ASCII.hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return bytes
    }
}
