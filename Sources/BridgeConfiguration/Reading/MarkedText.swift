import Yams

/// A text in which duplicate keys of a mapping are made distinct by a tag each, because the YAML parser stops at two equal keys.
struct MarkedText {
    private(set) var insertions = TagInsertions()
    private var lines: [[Unicode.Scalar]]

    init(_ lines: [[Unicode.Scalar]]) {
        self.lines = lines
    }

    var text: String {
        lines.map { line in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: line)
            return String(text)
        }.joined(separator: "\n")
    }

    /// Adds a tag to the key at a position of this text; `false` if there is no such position.
    mutating func insert(at position: TextPosition) -> Bool {
        let (line, column) = (position.line - 1, position.column - 1)
        guard lines.indices.contains(line), column >= 0, column < lines[line].count else { return false }
        let tag = Array("!twice\(insertions.count) ".unicodeScalars)
        insertions.add(line: position.line, column: insertions.original(position).column, length: tag.count)
        lines[line].insert(contentsOf: tag, at: column)
        return true
    }
}

/// The positions of the tags that were added to a text.
struct TagInsertions {
    /// The tags by line; the columns are those of the original text.
    private var columns: [Int: [(column: Int, length: Int)]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func add(line: Int, column: Int, length: Int) {
        columns[line, default: []].append((column, length))
        columns[line]?.sort { $0.column < $1.column }
        count += 1
    }

    /// Maps a position in the tagged text to the original text.
    func original(_ position: TextPosition) -> TextPosition {
        var column = position.column
        for insertion in columns[position.line] ?? [] where column > insertion.column {
            column = max(insertion.column, column - insertion.length)
        }
        return TextPosition(line: position.line, column: column)
    }
}

/// A position in a text: line and column from 1, the column in Unicode scalars.
struct TextPosition: Hashable, Sendable {
    var line: Int
    var column: Int

    init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    init(_ mark: Mark) {
        self.init(line: mark.line, column: mark.column)
    }
}
