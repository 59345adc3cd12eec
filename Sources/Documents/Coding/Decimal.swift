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
