/// A digest of 1 to 20 bytes whose text is an even number of lower-case hex digits: the form of nearly all digests.
///
/// The bytes are stored inline, so that copying, comparing and decoding a revision ID allocates no memory.
struct PackedDigest: Hashable, Sendable {
    static let maximumCount = 20

    /// The bytes in order, most significant first, padded with zeros.
    private var high: UInt64 = 0
    private var middle: UInt64 = 0
    private var low: UInt32 = 0

    /// The number of bytes, 1...20.
    private(set) var count: UInt8 = 0

    /// Creates a digest from its bytes; nil unless there are 1...20.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard 1...Self.maximumCount ~= bytes.count else { return nil }
        for byte in bytes { append(byte) }
    }

    /// Parses a digest; nil unless the text is an even number of lower-case hex digits, 2...40.
    init?(hex: UnsafeBufferPointer<UInt8>) {
        guard hex.count & 1 == 0, 2...(2 * Self.maximumCount) ~= hex.count else { return nil }
        var index = 0
        while index < hex.count {
            guard let high = Hex.value(hex[index]), let low = Hex.value(hex[index + 1]) else { return nil }
            append(high << 4 | low)
            index += 2
        }
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        switch count {
        case 0..<8: high |= UInt64(byte) << (56 - 8 * UInt64(count))
        case 8..<16: middle |= UInt64(byte) << (56 - 8 * UInt64(count - 8))
        default: low |= UInt32(byte) << (24 - 8 * UInt32(count - 16))
        }
        count += 1
    }

    private subscript(index: UInt8) -> UInt8 {
        switch index {
        case 0..<8: UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64(index)))
        case 8..<16: UInt8(truncatingIfNeeded: middle >> (56 - 8 * UInt64(index - 8)))
        default: UInt8(truncatingIfNeeded: low >> (24 - 8 * UInt32(index - 16)))
        }
    }

    func append(to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(self[index]) }
    }

    func appendHex(to bytes: inout [UInt8]) {
        for index in 0..<count { Hex.append(self[index], to: &bytes) }
    }
}

extension PackedDigest: Comparable {
    /// The order of the hex texts: by bytes; a prefix precedes the longer text.
    static func < (lhs: PackedDigest, rhs: PackedDigest) -> Bool {
        (lhs.high, lhs.middle, lhs.low, lhs.count) < (rhs.high, rhs.middle, rhs.low, rhs.count)
    }
}
