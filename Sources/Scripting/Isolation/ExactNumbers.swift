/// Quotes the numbers in JSON that JavaScript cannot represent exactly: integers from 2^53 on, and numbers that are larger than any double.
///
/// Sync Gateway does the same (channels/channelmapper.go, `ConvertJSONNumbers`). Otherwise a function that derives a channel from a 64-bit ID
/// could put documents with two different IDs into one channel. Numbers with a fraction or an exponent are rounded, as in Sync Gateway.
struct ExactNumbers {
    /// The largest integer up to which doubles represent every integer.
    private static let largest = Array("9007199254740991".utf8)

    private let bytes: [UInt8]
    private var place = 0
    private var result: [UInt8] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        result.reserveCapacity(bytes.count + 16)
    }

    /// The JSON with such numbers in quotes; `nil` if it has none.
    static func quoted(_ json: [UInt8]) -> [UInt8]? {
        guard mayNeedQuotes(json) else { return nil }
        var numbers = ExactNumbers(json)
        numbers.rewrite()
        return numbers.result
    }

    /// Whether the JSON has a run of as many digits as such a number, or an exponent. Strings may contain these, too.
    private static func mayNeedQuotes(_ json: [UInt8]) -> Bool {
        var digits = 0
        for byte in json {
            if 0x30...0x39 ~= byte {
                digits += 1
                if digits == largest.count { return true }
            } else {
                if digits > 0, byte | 0x20 == UInt8(ascii: "e") { return true }
                digits = 0
            }
        }
        return false
    }

    private mutating func rewrite() {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): copyText()
            case UInt8(ascii: "-"), 0x30...0x39: copyNumber()
            default:
                result.append(bytes[place])
                place += 1
            }
        }
    }

    private mutating func copyText() {
        let start = place
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        place = min(place + 1, bytes.count)
        result += bytes[start..<place]
    }

    private mutating func copyNumber() {
        let start = place
        while place < bytes.count, Self.isOfNumber(bytes[place]) { place += 1 }
        let number = bytes[start..<place]
        guard Self.isInexact(number) else { return result += number }
        result.append(UInt8(ascii: "\""))
        result += number
        result.append(UInt8(ascii: "\""))
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }

    private static func isInexact(_ number: ArraySlice<UInt8>) -> Bool {
        let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return Double(String(decoding: number, as: UTF8.self))?.isInfinite ?? false }
        if digits.count != largest.count { return digits.count > largest.count }
        return largest.lexicographicallyPrecedes(digits)
    }
}
