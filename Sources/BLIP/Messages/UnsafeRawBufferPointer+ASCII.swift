extension UnsafeRawBufferPointer {
    /// Whether every byte is below 128. Looks at eight bytes at a time.
    var isASCII: Bool {
        var bits: UInt64 = 0
        var position = 0
        while position + 8 <= count {
            bits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < count {
            bits |= UInt64(self[position])
            position += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
