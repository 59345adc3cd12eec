import Yams

/// Maps positions in the text of a YAML scalar to positions in the file, so that errors in a function have the file's line and column.
///
/// YAML folds lines, strips indentation and has escapes, but preserves the order of non-blank characters. The mapping therefore walks both texts in
/// parallel.
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

    /// The position in the file for a position in the text.
    ///
    /// - Parameters:
    ///   - line: From 1, as JavaScript counts lines.
    ///   - column: From 1, in UTF-16 units; `nil` for the first non-blank character of the line.
    /// - Returns: `nil` if the two texts do not match, as for an alias.
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

    /// The number of scalars of the text before a position.
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

/// The style of a YAML scalar, as far as it affects positions.
enum ScalarStyle: Sendable {
    case plain, singleQuoted, doubleQuoted
    /// A block scalar, after `|` or `>`.
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
