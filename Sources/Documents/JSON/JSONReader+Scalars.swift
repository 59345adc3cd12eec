extension JSONReader {
    /// Reads a string.
    ///
    /// - Throws: ``JSONError`` `wrongType`; `loneSurrogate` if the string has a lone surrogate.
    package mutating func string() throws(JSONError) -> String {
        let start = offset
        let (raw, isEscaped) = try rawString()
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        let (bytes, hasLoneSurrogate) = JSONText.unescaped(raw)
        guard !hasLoneSurrogate else { throw JSONError(.loneSurrogate, at: start) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a string with U+FFFD for each lone surrogate, as JavaScript engines and Go convert it to text.
    package mutating func replacedString() throws(JSONError) -> String {
        let (raw, isEscaped) = try rawString()
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONText.unescaped(raw, replacesLoneSurrogates: true).bytes, as: UTF8.self)
    }

    /// Reads a string without decoding it: the bytes between its quotes, and whether they contain escapes. The bytes live as long as the reader.
    mutating func rawString() throws(JSONError) -> (raw: UnsafeBufferPointer<UInt8>, isEscaped: Bool) {
        try expect(.string)
        let start = offset
        let isEscaped = try scanner.string()
        return (scanner.slice(start + 1..<offset - 1), isEscaped)
    }

    /// Reads an integer.
    ///
    /// - Throws: ``JSONError`` `wrongType`; `notAnInteger` if the number has a fraction or an exponent, or does not fit 64 bits.
    package mutating func int() throws(JSONError) -> Int {
        let start = offset
        try expect(.number)
        guard try scanner.number() else { throw JSONError(.notAnInteger, at: start) }
        let digits = scanner.slice(start..<offset)
        let isNegative = digits[0] == 0x2d
        var number = 0
        for digit in digits.dropFirst(isNegative ? 1 : 0) {
            let (shifted, overflows) = number.multipliedReportingOverflow(by: 10)
            let value = Int(digit - 0x30)
            let (sum, overflowsToo) = shifted.addingReportingOverflow(isNegative ? -value : value)
            guard !overflows, !overflowsToo else { throw JSONError(.notAnInteger, at: start) }
            number = sum
        }
        return number
    }

    /// Reads a floating-point number. A number that is too large becomes infinite; a number that is too small becomes zero.
    package mutating func double() throws(JSONError) -> Double {
        let start = offset
        let text = try number()
        guard let number = Double(text) else { throw JSONError(.badNumber, at: start) }
        return number
    }

    /// Reads a number as its text.
    package mutating func number() throws(JSONError) -> String {
        try expect(.number)
        let start = offset
        _ = try scanner.number()
        return String(decoding: scanner.slice(start..<offset), as: UTF8.self)
    }

    /// Reads `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool)
        guard scanner.next == 0x74 else {
            try scanner.literal("false")
            return false
        }
        try scanner.literal("true")
        return true
    }

    /// Reads `null`.
    package mutating func null() throws(JSONError) {
        try expect(.null)
        try scanner.literal("null")
    }
}
