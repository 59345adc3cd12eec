extension [UInt8] {
    /// The bytes of hexadecimal digits; white space is skipped.
    init(hex: String) {
        self = []
        var high: UInt8?
        for digit in hex where !digit.isWhitespace {
            let value = UInt8(digit.hexDigitValue ?? 0)
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}
