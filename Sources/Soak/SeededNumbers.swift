import Documents

/// Deterministic random numbers and texts.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    package init(_ seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    package mutating func next() -> UInt64 { numbers.next() }

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
