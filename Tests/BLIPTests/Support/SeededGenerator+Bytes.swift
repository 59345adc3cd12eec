import TestSupport

extension SeededGenerator {
    /// Bytes that compress somewhat, or not at all.
    mutating func bytes(_ count: Int, compressible: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = next()
            if compressible {
                let letter = UInt8(ascii: "a") + UInt8(word & 15)
                bytes.append(contentsOf: repeatElement(letter, count: 1 + Int((word >> 8) & 7)))
            } else {
                withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
            }
        }
        bytes.removeSubrange(count...)
        return bytes
    }
}
