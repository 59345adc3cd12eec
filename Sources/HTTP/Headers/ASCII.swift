/// Octets used by the parsers of headers and bodies, and the character classes of HTTP's grammar.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let backslash: UInt8 = 0x5C
    static let underscore: UInt8 = 0x5F
    static let tilde: UInt8 = 0x7E
    static let delete: UInt8 = 0x7F

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    static func isControl(_ byte: UInt8) -> Bool { byte < space || byte == delete }

    /// Optional white space of RFC 9110: space or tab.
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// A character of a `token` (RFC 9110, 5.6.2): header names, media types, cookie names.
    static func isToken(_ byte: UInt8) -> Bool {
        if isDigit(byte) || isLetter(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default:
            return false
        }
    }

    /// The value of a hexadecimal digit of either case.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The bytes as text in lower case; only ASCII letters change, regardless of the locale.
    static func lowercasedText(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes.map(lowercased))
    }

    /// The bytes without leading and trailing spaces and tabs.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes
        while let first = slice.first, isBlank(first) { slice.removeFirst() }
        while let last = slice.last, isBlank(last) { slice.removeLast() }
        return slice
    }

    /// Decodes header text: UTF-8, as all supported clients send it, else ISO 8859-1, which is lossless.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return String(scalars)
    }

    /// Whether two names are equal, ignoring the case of ASCII letters.
    static func equalIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.lazy.map(lowercased).elementsEqual(right.utf8.lazy.map(lowercased))
    }

    /// Parses a decimal number without sign; `nil` if there is any other byte, the largest number if it does not fit.
    static func saturatingDecimal(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard !bytes.isEmpty, bytes.allSatisfy(isDigit) else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tens.addingReportingOverflow(Int64(byte &- 0x30))
            if overflowed || carried { return .max }
            number = sum
        }
        return number
    }
}
