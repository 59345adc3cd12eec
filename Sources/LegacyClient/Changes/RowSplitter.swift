/// Splits a stream of bytes into the rows of a changes feed. Buffers at most one incomplete row.
struct RowSplitter: Sendable {
    /// The syntax around the rows.
    enum Form: Sendable, Hashable {
        /// `{"results":[…],"last_seq":…}`: feeds `normal` and `longpoll`.
        case results
        /// `[…]`: a WebSocket message.
        case array
        /// Only line ends: feed `continuous`.
        case lines
    }

    private enum State: Sendable, Hashable {
        case before, between, row, after
    }

    private let form: Form
    private let rowSize: Int
    private var state: State
    private var row: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// The last byte after the rows that is not whitespace.
    private var last: UInt8 = 0

    /// - Parameter rowSize: The maximum size of a row in bytes.
    init(_ form: Form, rowSize: Int) {
        self.form = form
        self.rowSize = rowSize
        state = form == .lines ? .between : .before
    }

    /// Consumes the next bytes.
    ///
    /// - Returns: The rows that these bytes complete.
    /// - Throws: ``ReplicationError`` with code `upstream` if the bytes are not a changes feed, or `tooLarge`.
    mutating func consume(_ bytes: ArraySlice<UInt8>) throws(ReplicationError) -> [ArraySlice<UInt8>] {
        var rows: [ArraySlice<UInt8>] = []
        // The start of the current row within these bytes.
        var start = bytes.startIndex
        for index in bytes.indices {
            let byte = bytes[index]
            switch state {
            case .row:
                guard endsRow(byte) else { continue }
                try check(bytes[start...index])
                rows.append(row.isEmpty ? bytes[start...index] : (row + bytes[start...index])[...])
                row = []
                state = .between
            case .between where byte == UInt8(ascii: "{"):
                state = .row
                depth = 1
                start = index
            default: try step(byte)
            }
        }
        if state == .row {
            try check(bytes[start...])
            row += bytes[start...]
        }
        return rows
    }

    /// Must be called when the feed has ended.
    ///
    /// - Throws: ``ReplicationError`` with code `connectionLost` if the feed was cut off, `upstream` if the bytes were not a changes feed.
    func finish() throws(ReplicationError) {
        switch (form, state) {
        case (.lines, .between), (.array, .after): return
        case (.results, .after) where last == UInt8(ascii: "}"): return
        case (.results, .before) where last != 0: throw ReplicationError(.upstream, "The server's answer is not a changes feed")
        default: throw ReplicationError(.connectionLost, "The changes feed was cut off")
        }
    }

    private func check(_ piece: ArraySlice<UInt8>) throws(ReplicationError) {
        guard row.count + piece.count <= rowSize else {
            throw ReplicationError(.tooLarge, "A row of the changes feed has more than \(rowSize) bytes")
        }
    }

    /// Consumes a byte of a row and returns whether the row ends with it.
    private mutating func endsRow(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            return depth == 0
        default: break
        }
        return false
    }

    /// Consumes a byte outside of rows.
    private mutating func step(_ byte: UInt8) throws(ReplicationError) {
        let isWhitespace = byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
        switch state {
        case .before:
            if !isWhitespace { last = byte }
            if byte == UInt8(ascii: "[") {
                state = .between
            } else if form == .array, !isWhitespace {
                throw ReplicationError(.upstream, "A message of the changes feed is not an array")
            }
        case .between:
            if byte == UInt8(ascii: "]"), form != .lines {
                state = .after
                last = 0
            } else if !isWhitespace, byte != UInt8(ascii: ",") {
                throw ReplicationError(.upstream, "An element of the changes feed is not a row")
            }
        case .after: if !isWhitespace { last = byte }
        case .row: break
        }
    }
}
