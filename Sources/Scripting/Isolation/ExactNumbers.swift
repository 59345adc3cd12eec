/// Makes texts of the numbers that JavaScript cannot hold exactly: whole numbers from 2^53 on, and what is larger than any double.
///
/// So does Sync Gateway (channels/channelmapper.go, `ConvertJSONNumbers`). A function that makes a channel of a 64-bit ID would else put documents of
/// two IDs into one channel. A number with a fraction or an exponent is rounded, as there.
struct ExactNumbers {
    /// The largest whole number up to which each one has a double of its own.
    private static let largest = Array("9007199254740991".utf8)

    private let bytes: [UInt8]
    private var place = 0
    private var result: [UInt8] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        result.reserveCapacity(bytes.count + 16)
    }

    /// A JSON text with such numbers in quotes; `nil` if it has none.
    static func quoted(_ json: [UInt8]) -> [UInt8]? {
        guard mayNeedQuotes(json) else { return nil }
        var numbers = ExactNumbers(json)
        numbers.rewrite()
        return numbers.result
    }

    /// Whether there are as many digits in a row as such a number has, or an exponent. Texts may have them, too.
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
