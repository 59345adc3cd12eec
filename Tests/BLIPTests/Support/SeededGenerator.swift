/// SplitMix64: small, and the same everywhere for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

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
