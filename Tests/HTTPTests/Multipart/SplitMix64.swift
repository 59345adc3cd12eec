/// A random number generator with a seed, so that every run of a property test is the same.
struct SplitMix64: RandomNumberGenerator {
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

    /// Bytes of which many are those that delimiters and headers are made of.
    mutating func bytes(_ count: Int, alphabet: [UInt8]? = nil) -> [UInt8] {
        (0..<count).map { _ in alphabet?.randomElement(using: &self) ?? UInt8.random(in: 0...255, using: &self) }
    }

    /// The array in pieces of random lengths; empty pieces are among them.
    mutating func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        let longest = [1, 2, 7, 40, 300].randomElement(using: &self) ?? 1
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...longest, using: &self))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}
