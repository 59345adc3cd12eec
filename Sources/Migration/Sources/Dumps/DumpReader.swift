/// Reads a dump value by value.
struct DumpReader {
    private let layout: DumpLayout
    private let label: String
    private var stream: DumpStream
    private var isInArray = false

    /// Whether the content has ended.
    private(set) var isAtEnd = false

    /// Whether the content ended within an array.
    private var isCut = false

    /// Whether the next value is tried as a row first, rather than as a document.
    var expectsRows: Bool

    init(_ file: DumpFile, _ layout: DumpLayout, label: String) throws {
        self.layout = layout
        self.label = label
        stream = DumpStream(file)
        expectsRows = layout.hasRows
        try goToBeginning()
    }

    /// Position before the next value, in bytes of the content.
    var offset: Int { stream.offset }

    /// Why content is missing at the end; `nil` if the dump is complete.
    var damage: String? { stream.damage ?? (isCut ? "the dump ends before its array does" : nil) }

    /// The position in a cursor's format.
    var place: String { "\(stream.offset)\(isInArray ? " in" : "")\(isAtEnd ? " end" : "")" }

    mutating func goToBeginning() throws {
        try stream.seek(to: layout.start)
        isInArray = layout.form == .elements
        isAtEnd = false
        isCut = false
    }

    /// - Parameter parts: The components of a ``place``.
    mutating func go(to offset: Int, _ parts: [Substring]) throws {
        isInArray = parts.contains("in")
        isAtEnd = parts.contains("end")
        isCut = false
        try stream.seek(to: offset)
    }

    /// Continues at the former end of a dump that has grown. This is impossible after a closed array.
    mutating func goBeyondEnd() {
        if layout.form == .lines { isAtEnd = false }
    }

    /// The next piece that may be a document.
    ///
    /// - Parameter limit: Largest number of its bytes to return.
    mutating func next(keeping limit: Int) throws -> DumpPiece? {
        while !isAtEnd {
            if isInArray {
                if let piece = try nextElement(limit) { return piece }
                continue
            }
            guard let next = try stream.skip(layout.form == .rows ? [0x2c] : []) else {
                isAtEnd = true
                isCut = layout.form == .rows
                return nil
            }
            if next == 0x5d, layout.form == .rows {
                isAtEnd = true
            } else if next == 0x5b {
                stream.advance()
                isInArray = true
            } else {
                var piece = try stream.line(keeping: limit)
                piece.trim()
                return piece
            }
        }
        return nil
    }

    /// The next element of the array; `nil` at its end.
    private mutating func nextElement(_ limit: Int) throws -> DumpPiece? {
        let isLine = layout.form != .elements
        let next = try isLine ? nextInLine() : stream.skip([0x2c])
        guard let next, next != 0x5d else {
            isInArray = false
            isCut = !isLine && next == nil
            if isLine {
                _ = try stream.line(keeping: 0)
            } else {
                isAtEnd = true
            }
            return nil
        }
        var piece = try stream.element(keeping: limit, endsAtNewline: isLine)
        guard !piece.isEnded else { return piece }
        // With unbalanced brackets, the piece ends at the next position that looks like the start of a document.
        let end = stream.offset
        try stream.seek(to: piece.offset + 1)
        if try stream.findBeginning(ofRow: expectsRows, endsAtNewline: isLine) {
            piece.cut(to: stream.offset - piece.offset)
        } else {
            try stream.seek(to: end)
        }
        return piece
    }

    /// The next byte of the line that is neither a space nor a comma; `nil` at the line's end.
    private mutating func nextInLine() throws -> UInt8? {
        while let byte = try stream.peek(), byte != 0x0a {
            guard byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x2c else { return byte }
            stream.advance()
        }
        return nil
    }
}
