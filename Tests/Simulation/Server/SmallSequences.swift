import Documents
import Storage

/// An old server's sequences, which are small as on nearly all servers. Those of a bridge begin far above them.
enum SmallSequences {
    private static let base: Int64 = 7_000

    /// The old server's form of `text`.
    static func leaving(_ text: [UInt8]) -> [UInt8] {
        let origin = SequenceNumber.newOrigin.value
        return replaced(text) { origin..<origin + base ~= $0 ? $0 - origin + base : nil }
    }

    /// The position in its feed that a received text means.
    static func entering(_ text: [UInt8]) -> [UInt8] {
        replaced(text) { base..<2 * base ~= $0 ? $0 - base + SequenceNumber.newOrigin.value : nil }
    }

    private static func replaced(_ text: [UInt8], _ change: (Int64) -> Int64?) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.first {
            let digits = rest.prefix { 0x30...0x39 ~= $0 }
            guard let number = Int64(String(decoding: digits, as: UTF8.self)), let other = change(number) else {
                result += digits.isEmpty ? [byte] : Array(digits)
                rest = rest.dropFirst(max(1, digits.count))
                continue
            }
            result += Array(String(other).utf8)
            rest = rest.dropFirst(digits.count)
        }
        return result
    }
}
