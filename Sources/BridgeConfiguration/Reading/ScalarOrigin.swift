import Yams

/// Where the letters of a YAML scalar stand in the file, so that an error in the line and column of a function is told with those of the file.
///
/// YAML folds lines, strips indentation and has escapes. But letters that are no blanks keep their order, so that both texts can be
/// walked through side by side.
struct ScalarOrigin: Sendable {
    private let text: SubstitutedText
    private let style: ScalarStyle
    private let start: TextPosition
    private let source: ConfigurationSource

    init(_ text: SubstitutedText, style: Node.Scalar.Style, start: TextPosition, source: ConfigurationSource) {
        self.text = text
        self.style = ScalarStyle(style)
        self.start = start
        self.source = source
    }

    /// The position in the file of a position in the text.
    ///
    /// - Parameters:
    ///   - line: From 1, as JavaScript counts lines.
    ///   - column: From 1, in UTF-16 units; `nil` for the first letter of the line that is no blank.
    /// - Returns: `nil` where the two texts do not go together, as with an alias.
    func position(line: Int, column: Int?) -> TextPosition? {
        guard let offset = offset(line: line, column: column) else { return nil }
        let original = text.original
        let target = min(text.origin(of: offset), original.count)
        guard var cursor = RawCursor(source.lines, style: style, start: start) else { return nil }
        for scalar in original[..<target] where !RawCursor.isBlank(scalar) {
            guard cursor.next() == scalar else { return nil }
        }
        if target < original.count, !RawCursor.isBlank(original[target]) { cursor.skipBlanks() }
        return cursor.position
    }

    /// How many scalars of the text are before a position.
    private func offset(line: Int, column: Int?) -> Int? {
        let scalars = Array(text.text.unicodeScalars)
        var offset = 0
        var current = 1
        while current < line {
            guard offset < scalars.count else { return nil }
            let isPair = scalars[offset] == "\r" && offset + 1 < scalars.count && scalars[offset + 1] == "\n"
            if ["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalars[offset]) { current += 1 }
            offset += isPair ? 2 : 1
        }
        guard let column else { return scalars[offset...].firstIndex { !RawCursor.isBlank($0) } ?? offset }
        var units = 1
        while units < column, offset < scalars.count, scalars[offset] != "\n" {
            units += UTF16.width(scalars[offset])
            offset += 1
        }
        return offset
    }
}

/// How a YAML scalar is written, as far as it matters where its letters stand.
enum ScalarStyle: Sendable {
    case plain, singleQuoted, doubleQuoted
    /// On lines of their own, behind `|` or `>`.
    case block

    init(_ style: Node.Scalar.Style) {
        switch style {
        case .literal, .folded: self = .block
        case .singleQuoted: self = .singleQuoted
        case .doubleQuoted: self = .doubleQuoted
        default: self = .plain
        }
    }
}
