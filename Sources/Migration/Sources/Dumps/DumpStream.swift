import Foundation

/// Splits a dump into pieces that should each be a JSON value, without parsing them, so that a fault in one piece does not affect the next.
struct DumpStream {
    private let file: DumpFile
    private var block: [UInt8] = []
    private var index = 0

    init(_ file: DumpFile) {
        self.file = file
    }

    /// Position of the next byte.
    var offset: Int { file.offset - block.count + index }

    /// Why the content ended early; `nil` otherwise.
    var damage: String? { file.damage }

    mutating func seek(to target: Int) throws {
        let start = file.offset - block.count
        if start...file.offset ~= target {
            index = target - start
        } else {
            block = []
            index = 0
            try file.seek(to: target)
        }
    }

    /// The next byte without consuming it; `nil` at the end.
    mutating func peek() throws -> UInt8? {
        while index == block.count {
            guard let next = try file.block() else { return nil }
            block = next
            index = 0
        }
        return block[index]
    }

    mutating func advance() {
        index += 1
    }

    /// The next byte that is neither whitespace nor in `others`, without consuming it.
    mutating func skip(_ others: [UInt8] = []) throws -> UInt8? {
        while let byte = try peek() {
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 || others.contains(byte) else { return byte }
            advance()
        }
        return nil
    }

    /// The bytes up to the line's end, which is consumed.
    mutating func line(keeping limit: Int) throws -> DumpPiece {
        var piece = DumpPiece(offset: offset)
        while try peek() != nil {
            let end = block[index...].firstIndex(of: 0x0a)
            append(index..<(end ?? block.count), limit, in: &piece)
            index = end.map { $0 + 1 } ?? block.count
            guard end == nil else {
                piece.isEnded = true
                return piece
            }
        }
        // The last line may lack a newline, unless the content is known to be truncated.
        piece.isEnded = damage == nil
        return piece
    }

    /// The array element at the current position. It ends at its closing bracket or, for a scalar, before a comma, a bracket or whitespace.
    ///
    /// - Parameter endsAtNewline: Whether an element must end on its line.
    mutating func element(keeping limit: Int, endsAtNewline: Bool) throws -> DumpPiece {
        var piece = DumpPiece(offset: offset)
        var scanner = ElementScanner()
        var isCut = false
        while !piece.isEnded, !isCut, try peek() != nil {
            let start = index
            while index < block.count {
                let byte = block[index]
                isCut = endsAtNewline && byte == 0x0a
                guard !isCut else { break }
                let step = scanner.consume(byte)
                if step != .before { index += 1 }
                guard step != .inside else { continue }
                piece.isEnded = step != .broken
                isCut = !piece.isEnded
                break
            }
            append(start..<index, limit, in: &piece)
        }
        return piece
    }

    /// After an element with unbalanced brackets, moves to the next position that looks like the start of a document or row.
    ///
    /// - Parameter endsAtNewline: Whether the search ends at the line's end.
    /// - Returns: Whether such a position exists.
    mutating func findBeginning(ofRow isRow: Bool, endsAtNewline: Bool) throws -> Bool {
        let marks = (isRow ? ["{\"id\":", "{\"seq\":"] : ["{\"_id\":"]).map { Array($0.utf8) }
        while try peek() != nil {
            guard let open = block[index...].firstIndex(where: { $0 == 0x7b || endsAtNewline && $0 == 0x0a }) else {
                index = block.count
                continue
            }
            index = open
            guard block[open] == 0x7b else { return false }
            let place = offset
            var head: [UInt8] = []
            while head.count < 8, let byte = try peek() {
                advance()
                head.append(byte)
            }
            try seek(to: place)
            if marks.contains(where: { head.starts(with: $0) }) { return true }
            advance()
        }
        return false
    }

    private func append(_ range: Range<Int>, _ limit: Int, in piece: inout DumpPiece) {
        piece.length += range.count
        piece.bytes += block[range].prefix(max(0, limit - piece.bytes.count))
    }
}

/// A part of a dump that should be one JSON value.
struct DumpPiece {
    /// Position of its first byte in the content.
    let offset: Int

    /// Its bytes, truncated to the requested limit.
    var bytes: [UInt8] = []

    /// Its length before truncation.
    var length = 0

    /// Whether its end was found.
    var isEnded = false

    /// Whether ``bytes`` is complete.
    var isWhole: Bool { isEnded && length == bytes.count }

    /// Removes bytes that belong to the next piece.
    mutating func cut(to length: Int) {
        self.length = min(self.length, length)
        bytes.removeLast(max(0, bytes.count - length))
    }

    /// Removes the trailing whitespace and comma.
    mutating func trim() {
        guard isWhole else { return }
        while let last = bytes.last, last <= 0x20 || last == 0x2c { bytes.removeLast() }
        length = bytes.count
    }
}
