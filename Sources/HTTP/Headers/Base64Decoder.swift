/// One run of base64 decoding: four digits at a time, then digit by digit where anything else comes.
struct Base64Decoder {
    /// Classes in the table of values, beside the 64 digits.
    static let urlSafe: UInt8 = 0x40
    static let blank: UInt8 = 0x80
    static let invalid: UInt8 = 0xFF

    let strictness: Base64.Strictness
    let values: UnsafeBufferPointer<UInt8>
    private(set) var written = 0

    init(strictness: Base64.Strictness, values: UnsafeBufferPointer<UInt8>) {
        self.strictness = strictness
        self.values = values
    }

    /// Fills `target`, which must have room for three bytes for each four of `source` and three more. False: not base64.
    mutating func decode(_ source: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        var group: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        var index = 0
        while index < source.count {
            if digitCount == 0, paddingCount == 0 {
                index = decodeGroups(source, from: index, into: target)
                if index == source.count { break }
            }
            let byte = source[index]
            index += 1
            var value = values[Int(byte)]
            if byte == ASCII.equals {
                paddingCount += 1
                continue
            }
            if value == Self.blank, strictness == .tolerant { continue }
            if value & 0xC0 == Self.urlSafe, strictness == .tolerant { value &= 63 }
            guard value < 64, paddingCount == 0 else { return false }
            group = group << 6 | UInt32(value)
            digitCount += 1
            if digitCount == 4 {
                put(group, into: target)
                (group, digitCount) = (0, 0)
            }
        }
        return finish(group, digitCount: digitCount, paddingCount: paddingCount, into: target)
    }

    /// Decodes whole groups of four plain digits and says where the first other one begins.
    private mutating func decodeGroups(
        _ source: UnsafeBufferPointer<UInt8>, from start: Int, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var index = start
        while index + 4 <= source.count {
            let first = values[Int(source[index])]
            let second = values[Int(source[index + 1])]
            let third = values[Int(source[index + 2])]
            let fourth = values[Int(source[index + 3])]
            guard first | second | third | fourth < 64 else { break }
            put(UInt32(first) << 18 | UInt32(second) << 12 | UInt32(third) << 6 | UInt32(fourth), into: target)
            index += 4
        }
        return index
    }

    private mutating func put(_ group: UInt32, into target: UnsafeMutableBufferPointer<UInt8>) {
        target[written] = UInt8(truncatingIfNeeded: group >> 16)
        target[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
        target[written + 2] = UInt8(truncatingIfNeeded: group)
        written += 3
    }

    /// The last, incomplete group: two digits make one byte, three make two, and padding fills it up to four.
    private mutating func finish(
        _ group: UInt32, digitCount: Int, paddingCount: Int, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let wanted = digitCount == 0 ? 0 : 4 - digitCount
        guard digitCount != 1, paddingCount == wanted || (strictness == .tolerant && paddingCount == 0) else { return false }
        guard digitCount > 0 else { return true }
        let whole = group << UInt32(6 * wanted)
        let unusedBits: UInt32 = digitCount == 2 ? 0xFFFF : 0xFF
        if strictness == .strict, whole & unusedBits != 0 { return false }
        target[written] = UInt8(truncatingIfNeeded: whole >> 16)
        if digitCount == 3 { target[written + 1] = UInt8(truncatingIfNeeded: whole >> 8) }
        written += digitCount - 1
        return true
    }
}
