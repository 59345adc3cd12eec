/// A number in a frame as unsigned LEB128: seven bits a byte, the least significant first; the high bit is set if more bytes follow.
enum FrameVarint {
    /// Reads a number of at most `maxBytes` bytes from the start of `bytes`; `nil` if `bytes` ends before the number does.
    ///
    /// - Throws: `badFrame` if the number is longer, or does not fit 64 bits.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, maxBytes: Int = 10,
    ) throws(BLIPError) -> (value: UInt64, count: Int)? {
        var value: UInt64 = 0
        for index in 0..<min(bytes.count, maxBytes) {
            let byte = bytes[index]
            guard index < 9 || byte < 2 else { break }
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            if byte < 0x80 {
                return (value, index + 1)
            }
        }
        guard bytes.count < maxBytes else {
            throw BLIPError(.badFrame, "a number in a frame has more than \(maxBytes) bytes or 64 bits")
        }
        return nil
    }

    /// Appends a number.
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The encoded size of a number in bytes.
    static func size(of value: UInt64) -> Int {
        max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }
}
