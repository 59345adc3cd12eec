/// SplitMix64: deterministic random numbers.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A string of random hexadecimal digits.
    package mutating func hex(_ digits: Int) -> String {
        let alphabet = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(digits)
        var (word, left) = (next(), 16)
        while text.count < digits {
            if left == 0 { (word, left) = (next(), 16) }
            text.append(alphabet[Int(word & 15)])
            word >>= 4
            left -= 1
        }
        return String(decoding: text, as: UTF8.self)
    }
}
