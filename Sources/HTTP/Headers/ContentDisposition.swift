/// `Content-Disposition: attachment; filename="name"`, which identifies the attachment of a MIME part.
///
/// Couchbase Lite 1.x readers test for the literal prefix `attachment; filename=`. The parser accepts the forms of all known writers:
/// - iOS quotes the name and escapes with a backslash.
/// - CouchDB quotes without escaping.
/// - Java does not quote at all, so the name has bare spaces and semicolons.
/// - .NET writes names outside ASCII as MIME encoded words.
package struct ContentDisposition: Sendable, Hashable {
    /// The disposition type in lower case: `attachment`, `inline`.
    package let kind: String
    /// The unquoted and decoded file name; `nil` if the header has none.
    package let filename: String?

    /// Creates a disposition to send.
    package init(kind: String = "attachment", filename: String?) {
        self.kind = kind
        self.filename = filename
    }

    /// Parses a header's value; `nil` if it does not begin with a token.
    package init?(_ header: some StringProtocol) {
        let bytes = Array(header.utf8)
        let kind = ASCII.trimmed(bytes.prefix { $0 != ASCII.semicolon })
        guard !kind.isEmpty, kind.allSatisfy(ASCII.isToken) else { return nil }
        self.kind = ASCII.lowercasedText(kind)
        filename = Self.filename(in: bytes.drop { $0 != ASCII.semicolon })
    }

    /// The header's value. The name is quoted raw UTF-8, with `"` and `\` escaped by a backslash.
    package var rendered: String {
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

    /// The file name at the start of the bytes, and the rest. A name that is not a valid quoted string is used literally: up to the last quote
    /// if there are two, else including its quote.
    private static func filenameValue(at bytes: ArraySlice<UInt8>) -> (value: [UInt8], rest: ArraySlice<UInt8>) {
        if let quoted = quotedString(at: bytes) { return quoted }
        if bytes.first == ASCII.quote, let last = bytes.lastIndex(of: ASCII.quote), last > bytes.startIndex {
            return (Array(bytes[(bytes.startIndex + 1)..<last]), bytes[(last + 1)...])
        }
        let end = endOfPlainName(in: bytes)
        return (Array(ASCII.trimmed(bytes[..<end])), bytes[end...])
    }

    /// A quoted string followed by a semicolon or the end of the header, with backslash escapes replaced.
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

    /// The end of an unquoted name: a `;` followed by another known parameter. Any other semicolon is part of the name.
    private static func endOfPlainName(in bytes: ArraySlice<UInt8>) -> Int {
        for index in bytes.indices where bytes[index] == ASCII.semicolon {
            let next = bytes[(index + 1)...].prefix { $0 != ASCII.equals && $0 != ASCII.semicolon }
            guard next.endIndex < bytes.endIndex, bytes[next.endIndex] == ASCII.equals else { continue }
            if otherParameters.contains(ASCII.lowercasedText(ASCII.trimmed(next))) { return index }
        }
        return bytes.last == ASCII.semicolon ? bytes.endIndex - 1 : bytes.endIndex
    }

    /// Decodes an RFC 8187 value: `utf-8'en'na%C3%AFve`.
    private static func extendedValue(_ bytes: [UInt8]) -> String? {
        let pieces = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, ASCII.lowercasedText(pieces[0]) == "utf-8" else { return nil }
        return try? PercentEncoding.decode(pieces[2])
    }
}

/// MIME encoded words (RFC 2047): `=?utf-8?B?bmHDr3Zl?=`, the form in which .NET writes names outside ASCII.
enum EncodedWord {
    /// Decodes a text that consists of encoded words only. Any other text, an unknown charset or a malformed encoding is returned unchanged.
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
