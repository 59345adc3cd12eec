/// Unsigned numbers of one to ten bytes: seven bits a byte, the lowest first, the high bit on all but the last.
enum Varint {
    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// How many bytes the number takes.
    static func length(_ number: Int) -> Int {
        max(1, (UInt.bitWidth - UInt(bitPattern: number).leadingZeroBitCount + 6) / 7)
    }
}
