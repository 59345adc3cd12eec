extension JSONReader {
    /// Reads a string.
    ///
    /// - Throws: ``JSONError`` `wrongType`; `loneSurrogate` where its escapes give no text.
    public mutating func string() throws(JSONError) -> String {
        let start = offset
        let (raw, isEscaped) = try rawString()
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        let (bytes, hasLoneSurrogate) = JSONText.unescaped(raw)
        guard !hasLoneSurrogate else { throw JSONError(.loneSurrogate, at: start) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a string as JavaScript engines and Go do where they need text: a lone surrogate becomes U+FFFD.
    public mutating func replacedString() throws(JSONError) -> String {
        let (raw, isEscaped) = try rawString()
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONText.unescaped(raw, replacesLoneSurrogates: true).bytes, as: UTF8.self)
    }

    /// Reads a string as what stands between its quotes, and whether that has escapes. The bytes live as long as the reader.
    mutating func rawString() throws(JSONError) -> (raw: UnsafeBufferPointer<UInt8>, isEscaped: Bool) {
        try expect(.string)
        let start = offset
        let isEscaped = try scanner.string()
        return (scanner.slice(start + 1..<offset - 1), isEscaped)
    }

    /// Reads a number that has neither a fraction nor an exponent.
    ///
    /// - Throws: ``JSONError`` `wrongType`; `notAnInteger` where it has, or does not fit 64 bits.
    public mutating func int() throws(JSONError) -> Int {
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

    /// Reads a number. One that is too large becomes infinite, one that is too small becomes zero.
    public mutating func double() throws(JSONError) -> Double {
        let start = offset
        let text = try number()
        guard let number = Double(text) else { throw JSONError(.badNumber, at: start) }
        return number
    }

    /// Reads a number as its text.
    public mutating func number() throws(JSONError) -> String {
        try expect(.number)
        let start = offset
        _ = try scanner.number()
        return String(decoding: scanner.slice(start..<offset), as: UTF8.self)
    }

    /// Reads `true` or `false`.
    public mutating func bool() throws(JSONError) -> Bool {
        try expect(.bool)
        guard scanner.next == 0x74 else {
            try scanner.literal("false")
            return false
        }
        try scanner.literal("true")
        return true
    }

    /// Reads `null`.
    public mutating func null() throws(JSONError) {
        try expect(.null)
        try scanner.literal("null")
    }
}
