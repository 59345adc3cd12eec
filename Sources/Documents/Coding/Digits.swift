/// Whole numbers as decimal digits.
enum Decimal {
    /// Appends the number's digits, with a minus sign before a negative one.
    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var magnitude = number.magnitude
        if number < 0 { bytes.append(0x2d) }
        if magnitude < 10 {
            bytes.append(0x30 + UInt8(magnitude))
            return
        }
        let start = bytes.count
        while magnitude > 0 {
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            bytes.append(0x30 + UInt8(digit))
            magnitude = quotient
        }
        bytes[start...].reverse()
    }
}

/// Lower-case hexadecimal.
package enum Hex {
    /// Two digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes { append(byte, to: &digits) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The value of a lower-case hex digit; nil for any other byte.
    @inline(__always)
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }

    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x57
    }

    /// Appends two digits.
    @inline(__always)
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
    }
}
