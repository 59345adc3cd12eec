import Yams

/// A text in which keys that stand in a mapping twice have been made different, by a tag of their own: the YAML reader stops at two that are alike.
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

    /// Tags the key at a position of this text; `false` if there is none.
    mutating func insert(at position: TextPosition) -> Bool {
        let (line, column) = (position.line - 1, position.column - 1)
        guard lines.indices.contains(line), column >= 0, column < lines[line].count else { return false }
        let tag = Array("!twice\(insertions.count) ".unicodeScalars)
        insertions.add(line: position.line, column: insertions.original(position).column, length: tag.count)
        lines[line].insert(contentsOf: tag, at: column)
        return true
    }
}

/// Where tags were put into a text.
struct TagInsertions {
    /// By line; columns are those of the text as it was.
    private var columns: [Int: [(column: Int, length: Int)]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func add(line: Int, column: Int, length: Int) {
        columns[line, default: []].append((column, length))
        columns[line]?.sort { $0.column < $1.column }
        count += 1
    }

    /// The position in the text as it was.
    func original(_ position: TextPosition) -> TextPosition {
        var column = position.column
        for insertion in columns[position.line] ?? [] where column > insertion.column {
            column = max(insertion.column, column - insertion.length)
        }
        return TextPosition(line: position.line, column: column)
    }
}

/// A place in a text: both from 1, the column in Unicode scalars.
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
