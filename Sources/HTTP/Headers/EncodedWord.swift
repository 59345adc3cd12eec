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
            case "b": TolerantBase64.decode(pieces[2])
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
