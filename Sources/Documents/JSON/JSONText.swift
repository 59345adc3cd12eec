/// Decodes the contents of strings that the scanner has validated.
enum JSONText {
    /// The UTF-8 of a string with escapes replaced.
    ///
    /// A lone surrogate becomes three bytes that are not UTF-8, so that different keys stay different. With `replacesLoneSurrogates` it
    /// becomes U+FFFD.
    static func unescaped(
        _ raw: UnsafeBufferPointer<UInt8>, replacesLoneSurrogates: Bool = false
    ) -> (bytes: [UInt8], hasLoneSurrogate: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var hasLoneSurrogate = false
        var index = 0
        while index < raw.count {
            guard raw[index] == 0x5c else {
                bytes.append(raw[index])
                index += 1
                continue
            }
            let kind = raw[index + 1]
            index += 2
            guard kind == 0x75 else {
                bytes.append(character(ofEscape: kind))
                continue
            }
            var code = codeUnit(raw, at: index)
            index += 4
            if 0xd800..<0xdc00 ~= code, index + 6 <= raw.count, raw[index] == 0x5c, raw[index + 1] == 0x75,
                case let low = codeUnit(raw, at: index + 2), 0xdc00..<0xe000 ~= low
            {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                index += 6
            }
            if 0xd800..<0xe000 ~= code {
                hasLoneSurrogate = true
                if replacesLoneSurrogates { code = 0xfffd }
            }
            append(code, to: &bytes)
        }
        return (bytes, hasLoneSurrogate)
    }

    private static func character(ofEscape kind: UInt8) -> UInt8 {
        switch kind {
        case 0x62: 0x08
        case 0x66: 0x0c
        case 0x6e: 0x0a
        case 0x72: 0x0d
        case 0x74: 0x09
        default: kind
        }
    }

    private static func codeUnit(_ raw: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
        raw[index..<index + 4].reduce(0) { $0 << 4 | UInt32(Hex.value($1 | 0x20) ?? 0) }
    }

    private static func append(_ code: UInt32, to bytes: inout [UInt8]) {
        func trailing(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (code >> shift) & 0x3f) }
        switch code {
        case 0..<0x80: bytes.append(UInt8(code))
        case 0x80..<0x800: bytes.append(contentsOf: [UInt8(0xc0 | code >> 6), trailing(0)])
        case 0x800..<0x10000: bytes.append(contentsOf: [UInt8(0xe0 | code >> 12), trailing(6), trailing(0)])
        default: bytes.append(contentsOf: [UInt8(0xf0 | code >> 18), trailing(12), trailing(6), trailing(0)])
        }
    }
}
