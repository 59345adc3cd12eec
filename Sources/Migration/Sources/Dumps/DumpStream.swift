import Foundation

/// Cuts a dump into pieces that should each be a JSON value, without reading them as JSON: what is wrong with one is no matter to the next.
struct DumpStream {
    private let file: DumpFile
    private var block: [UInt8] = []
    private var index = 0

    init(_ file: DumpFile) {
        self.file = file
    }

    /// Where the next byte is.
    var offset: Int { file.offset - block.count + index }

    /// Why the content ends here, if not because everything was read.
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

    /// The next byte, which stays; `nil` at the end.
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

    /// The next byte that is neither whitespace nor one of these, and stays.
    mutating func skip(_ others: [UInt8] = []) throws -> UInt8? {
        while let byte = try peek() {
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 || others.contains(byte) else { return byte }
            advance()
        }
        return nil
    }

    /// Everything up to the line's end, which is passed.
    mutating func line(keeping limit: Int) throws -> DumpPiece {
        var piece = DumpPiece(offset: offset)
        while try peek() != nil {
            let end = block[index...].firstIndex(of: 0x0a)
            keep(index..<(end ?? block.count), limit, in: &piece)
            index = end.map { $0 + 1 } ?? block.count
            guard end == nil else {
                piece.isEnded = true
                return piece
            }
        }
        // The last line may have no end, unless it is known to be cut off.
        piece.isEnded = damage == nil
        return piece
    }

    /// An array's next element, which begins here: up to where its brackets are closed, or, if it has none, to a comma, a bracket or whitespace.
    ///
    /// - Parameter endsAtNewline: whether no element goes beyond its line.
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
                let step = scanner.take(byte)
                if step != .before { index += 1 }
                guard step != .inside else { continue }
                piece.isEnded = step != .broken
                isCut = !piece.isEnded
                break
            }
            keep(start..<index, limit, in: &piece)
        }
        return piece
    }

    /// Goes to the next place that looks as if a document or a row began there, for an element whose brackets do not match.
    ///
    /// - Parameter endsAtNewline: whether not to look beyond this line.
    /// - Returns: whether there is one.
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

    private func keep(_ range: Range<Int>, _ limit: Int, in piece: inout DumpPiece) {
        piece.length += range.count
        piece.bytes += block[range].prefix(max(0, limit - piece.bytes.count))
    }
}

/// A part of a dump that should be one JSON value.
struct DumpPiece {
    /// Where it begins, in bytes of the content.
    let offset: Int

    /// Its bytes, or the first of them if there are more than wanted.
    var bytes: [UInt8] = []

    /// How many there are.
    var length = 0

    /// Whether it has an end.
    var isEnded = false

    /// Whether all its bytes are here.
    var isWhole: Bool { isEnded && length == bytes.count }

    /// Takes away what turned out to belong to the next.
    mutating func cut(to length: Int) {
        self.length = min(self.length, length)
        bytes.removeLast(max(0, bytes.count - length))
    }

    /// Takes away the whitespace and the comma between this value and the next.
    mutating func trim() {
        guard isWhole else { return }
        while let last = bytes.last, last <= 0x20 || last == 0x2c { bytes.removeLast() }
        length = bytes.count
    }
}
