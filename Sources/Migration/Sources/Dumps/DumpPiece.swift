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
