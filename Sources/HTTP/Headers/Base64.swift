/// Base64 of RFC 4648, over byte arrays, without Foundation.
public enum Base64 {
    /// What a decoder lets pass.
    public enum Strictness: Sendable {
        /// Standard alphabet, padding required, no white space, unused bits zero: one spelling for each value.
        case strict
        /// Also the URL-safe alphabet, missing padding, white space between digits and non-zero unused bits.
        case tolerant
    }

    /// The bytes in base64, standard alphabet, padded.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The bytes in base64, standard alphabet, padded, as ASCII.
    public static func encodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let encoded = bytes.withContiguousStorageIfAvailable(encode)
        return encoded ?? Array(bytes).withUnsafeBufferPointer(encode)
    }

    /// The bytes that a base64 text stands for, or `nil` if it is not base64.
    public static func decode(_ text: some StringProtocol, _ strictness: Strictness = .strict) -> [UInt8]? {
        decode(bytes: text.utf8, strictness)
    }

    /// The bytes that a base64 text in ASCII stands for, or `nil` if it is not base64.
    public static func decode(bytes text: some Collection<UInt8>, _ strictness: Strictness = .strict) -> [UInt8]? {
        let decoded = text.withContiguousStorageIfAvailable { decode($0, strictness) }
        return decoded ?? Array(text).withUnsafeBufferPointer { decode($0, strictness) }
    }

    private static func encode(_ source: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let length = (source.count + 2) / 3 * 4
        return digits.withUnsafeBufferPointer { digits in
            [UInt8](unsafeUninitializedCapacity: length) { target, written in
                var input = 0
                var output = 0
                func put(_ group: UInt32, digitCount: Int) {
                    for position in 0..<4 {
                        let digit = Int(group >> UInt32(18 - 6 * position)) & 63
                        target[output + position] = position < digitCount ? digits[digit] : ASCII.equals
                    }
                    output += 4
                }
                while input + 3 <= source.count {
                    put(UInt32(source[input]) << 16 | UInt32(source[input + 1]) << 8 | UInt32(source[input + 2]), digitCount: 4)
                    input += 3
                }
                switch source.count - input {
                case 1: put(UInt32(source[input]) << 16, digitCount: 2)
                case 2: put(UInt32(source[input]) << 16 | UInt32(source[input + 1]) << 8, digitCount: 3)
                default: break
                }
                written = output
            }
        }
    }

    private static func decode(_ source: UnsafeBufferPointer<UInt8>, _ strictness: Strictness) -> [UInt8]? {
        var isValid = true
        let decoded = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: source.count / 4 * 3 + 3) { target, written in
                var decoder = Base64Decoder(strictness: strictness, values: values)
                isValid = decoder.decode(source, into: target)
                written = isValid ? decoder.written : 0
            }
        }
        return isValid ? decoded : nil
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// For each octet the value of the digit it is, or one of `Base64Decoder`'s classes of other characters.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: Base64Decoder.invalid, count: 256)
        for (value, digit) in digits.enumerated() { table[Int(digit)] = UInt8(value) }
        table[Int(ASCII.hyphen)] = 62 | Base64Decoder.urlSafe
        table[Int(ASCII.underscore)] = 63 | Base64Decoder.urlSafe
        for blank in [ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed] { table[Int(blank)] = Base64Decoder.blank }
        return table
    }()
}
