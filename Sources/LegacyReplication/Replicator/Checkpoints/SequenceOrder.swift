/// The order of a server's sequences, as far as it can be told.
enum SequenceOrder {
    /// A sequence that is a number and no more; `nil` for others.
    static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }

    /// Whether a checkpoint's place lies before another one. CouchDB's opaque sequences begin with a number that counts up.
    ///
    /// - Parameter place: `nil` for the beginning.
    static func isBehind(_ place: String?, _ other: String) -> Bool {
        guard let place else { return true }
        guard place != other else { return false }
        guard let one = count(place), let two = count(other) else { return true }
        return one < two
    }

    private static func count(_ text: String) -> Int64? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\"") }.prefix { 0x30...0x39 ~= $0 }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
