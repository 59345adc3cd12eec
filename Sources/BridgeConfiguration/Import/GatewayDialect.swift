import Documents

/// Sync Gateway's dialect of JSON: with comments, and with backquoted strings that may span several lines.
///
/// The dialect is translated into plain JSON for the ordinary JSON parser. Comments become blanks. Inside backquotes, backslashes, quotes and line
/// ends are literal, and carriage returns are dropped (`ConvertBackQuotedStrings` in Sync Gateway's base/util.go).
struct GatewayDialect {
    /// The translated JSON.
    private(set) var json: [UInt8] = []

    /// The offsets in the JSON at which lines of the original end.
    private var lineEnds: [Int] = []
    private let text: [UInt8]
    private var position = 0

    /// - Throws: ``GatewayImportError`` if a comment or a backquoted string is not terminated.
    init(_ text: [UInt8]) throws(GatewayImportError) {
        self.text = text
        json.reserveCapacity(text.count)
        // Windows editors start files with a byte order mark.
        if text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""): copyString()
            case UInt8(ascii: "`"): try convertBackquoted()
            case UInt8(ascii: "/") where follows(UInt8(ascii: "/")): skipLine()
            case UInt8(ascii: "/") where follows(UInt8(ascii: "*")): try skipComment()
            default: copy()
            }
        }
    }

    /// The line of the original, from 1, for an offset in the JSON.
    func line(of offset: Int) -> Int {
        (lineEnds.firstIndex { $0 >= offset } ?? lineEnds.count) + 1
    }

    private func follows(_ byte: UInt8) -> Bool {
        position + 1 < text.count && text[position + 1] == byte
    }

    private mutating func copy() {
        if text[position] == UInt8(ascii: "\n") { lineEnds.append(json.count) }
        json.append(text[position])
        position += 1
    }

    private mutating func copyString() {
        copy()
        while position < text.count, text[position] != UInt8(ascii: "\""), text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "\\"), position + 1 < text.count { copy() }
            copy()
        }
        if position < text.count { copy() }
    }

    private mutating func skipLine() {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipComment() throws(GatewayImportError) {
        let start = json.count
        position += 2
        while position < text.count {
            if text[position] == UInt8(ascii: "*"), follows(UInt8(ascii: "/")) {
                position += 2
                json.append(UInt8(ascii: " "))
                return
            }
            if text[position] == UInt8(ascii: "\n") { copy() } else { position += 1 }
        }
        throw GatewayImportError("line \(line(of: start)): the comment that begins here has no end")
    }

    private mutating func convertBackquoted() throws(GatewayImportError) {
        let start = json.count
        json.append(UInt8(ascii: "\""))
        position += 1
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "`"):
                json.append(UInt8(ascii: "\""))
                return
            case UInt8(ascii: "\\"):
                json += [byte, byte]
                // A backquote after a backslash does not end the string; the backslash remains.
                if position < text.count, text[position] == UInt8(ascii: "`") {
                    json.append(text[position])
                    position += 1
                }
            case UInt8(ascii: "\""): json += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n"):
                lineEnds.append(json.count)
                json += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\t"): json += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            default: json.append(byte)
            }
        }
        throw GatewayImportError("line \(line(of: start)): the text in backquotes that begins here has no end")
    }
}
