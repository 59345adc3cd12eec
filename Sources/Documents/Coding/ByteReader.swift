/// Reads a compact binary form from its start to its end; every step answers nil where the bytes do not suffice.
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

    /// A number that is not negative.
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
