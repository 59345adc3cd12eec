/// Goes through a dump from value to value.
struct DumpReader {
    private let layout: DumpLayout
    private let label: String
    private var stream: DumpStream
    private var isInArray = false

    /// Whether there is nothing more.
    private(set) var isAtEnd = false

    /// Whether the content ends where more was to come.
    private var isCut = false

    /// Whether the next value is taken for a row first, rather than for a document.
    var expectsRows: Bool

    init(_ file: DumpFile, _ layout: DumpLayout, label: String) throws {
        self.layout = layout
        self.label = label
        stream = DumpStream(file)
        expectsRows = layout.hasRows
        try goToBeginning()
    }

    /// Where the next value begins, or what stands before it, in bytes of the content.
    var offset: Int { stream.offset }

    /// What is missing behind the end; `nil` if nothing is.
    var damage: String? { stream.damage ?? (isCut ? "the dump ends before its array does" : nil) }

    /// The place, as a cursor has it.
    var place: String { "\(stream.offset)\(isInArray ? " in" : "")\(isAtEnd ? " end" : "")" }

    mutating func goToBeginning() throws {
        try stream.seek(to: layout.start)
        isInArray = layout.form == .elements
        isAtEnd = false
        isCut = false
    }

    /// - Parameter parts: those of a ``place``.
    mutating func go(to offset: Int, _ parts: [Substring]) throws {
        isInArray = parts.contains("in")
        isAtEnd = parts.contains("end")
        isCut = false
        try stream.seek(to: offset)
    }

    /// Reads on where the end was: the dump has grown. An array that was closed cannot.
    mutating func goBeyondEnd() {
        if layout.form == .lines { isAtEnd = false }
    }

    /// The next piece that may be a document.
    ///
    /// - Parameter limit: how many of its bytes are wanted.
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

    /// The next element of the array; `nil` if it has ended.
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
        // Brackets do not match: what looks like the next document is taken for it.
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
