/// Iterates over the characters of a YAML scalar as written in the file; skips blanks, line ends and indentation.
struct RawCursor {
    private let lines: [[Unicode.Scalar]]
    private let style: ScalarStyle
    private var line: Int
    private var column: Int

    /// - Returns: `nil` if the start is not in the text.
    init?(_ lines: [[Unicode.Scalar]], style: ScalarStyle, start: TextPosition) {
        guard lines.indices.contains(start.line - 1), start.column >= 1 else { return nil }
        self.lines = lines
        self.style = style
        (line, column) = (start.line - 1, start.column - 1)
        // An anchor and a tag precede the scalar itself.
        skipBlanks()
        while let first = current, first == "&" || first == "!" {
            while let scalar = current, scalar != " ", scalar != "\t" { column += 1 }
            skipBlanks()
        }
        switch style {
        case .block: (line, column) = (line + 1, 0)
        case .singleQuoted, .doubleQuoted: column += 1
        case .plain: break
        }
    }

    var position: TextPosition { TextPosition(line: line + 1, column: column + 1) }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0x20 || scalar.value == 0x7f || scalar.properties.isWhitespace
    }

    /// The current character; `nil` at the end of a line.
    private var current: Unicode.Scalar? { at(0) }

    private func at(_ distance: Int) -> Unicode.Scalar? {
        guard lines.indices.contains(line), lines[line].indices.contains(column + distance) else { return nil }
        return lines[line][column + distance]
    }

    /// Moves to the next character that is no blank.
    mutating func skipBlanks() {
        while line < lines.count {
            guard let scalar = current else {
                guard line + 1 < lines.count else { return }
                (line, column) = (line + 1, 0)
                continue
            }
            if Self.isBlank(scalar) {
                column += 1
            } else if style == .doubleQuoted, scalar == "\\", let (decoded, length) = escape, decoded.map(Self.isBlank) ?? true {
                column += length
            } else {
                return
            }
        }
    }

    /// Returns the next character; `nil` at the end of the file.
    mutating func next() -> Unicode.Scalar? {
        skipBlanks()
        guard let scalar = current else { return nil }
        if style == .doubleQuoted, scalar == "\\", let (decoded, length) = escape {
            column += length
            return decoded
        }
        column += style == .singleQuoted && scalar == "'" && at(1) == "'" ? 2 : 1
        return scalar
    }

    /// The character of the escape sequence at this position, and the sequence's length; `nil` for the character if the line is continued.
    private var escape: (Unicode.Scalar?, Int)? {
        guard let letter = at(1) else { return (nil, 1) }
        let digits: [Unicode.Scalar: Int] = ["x": 2, "u": 4, "U": 8]
        guard let count = digits[letter] else {
            // Escapes with letters are blanks and controls: `\n`, `\t`, `\0`, …
            return (letter.properties.isAlphabetic || letter == "0" || letter == "_" ? " " : letter, 2)
        }
        let hex = (0..<count).compactMap { at($0 + 2).map(Character.init) }
        guard let value = UInt32(String(hex), radix: 16), let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, count + 2)
    }
}
