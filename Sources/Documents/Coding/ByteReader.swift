/// Reads a compact binary form sequentially; each method returns nil when too few bytes remain.
struct ByteReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    @inline(__always)
    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func slice(_ count: Int) -> UnsafeBufferPointer<UInt8>? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return UnsafeBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// Reads a nonnegative number.
    @inline(__always)
    mutating func varint() -> Int? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte() {
            guard shift < 63 else { return nil }
            number |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return Int(exactly: number) }
            shift += 7
        }
        return nil
    }
}

/// Unsigned integers in one to ten bytes: seven bits a byte, lowest first, the high bit set on every byte except the last.
enum Varint {
    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The encoded length of a number, in bytes.
    static func length(_ number: Int) -> Int {
        max(1, (UInt.bitWidth - UInt(bitPattern: number).leadingZeroBitCount + 6) / 7)
    }
}
