extension JSONScanner {
    /// Skips a string, and returns whether it has escapes.
    @inline(__always)
    mutating func string() throws(JSONError) -> Bool {
        try expect(0x22)
        var isEscaped = false
        while true {
            skipPlainBytes()
            guard let byte = next else { throw error(.unexpectedEnd) }
            switch byte {
            case 0x22:
                position += 1
                return isEscaped
            case 0x5c:
                isEscaped = true
                try escape()
            case 0..<0x20: throw error(.controlCharacter)
            case 0x20..<0x80: position += 1
            default: try character(byte)
            }
        }
    }

    /// Skips ASCII bytes other than quotes, backslashes and control characters, eight at a time.
    ///
    /// Stops before any other byte, or when fewer than eight bytes remain.
    @inline(__always)
    private mutating func skipPlainBytes() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        while position + 8 <= count {
            let start = UnsafeRawPointer(slice(position..<position + 8).baseAddress.unsafelyUnwrapped)
            let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
            let quotes = word ^ 0x2222_2222_2222_2222
            let backslashes = word ^ 0x5c5c_5c5c_5c5c_5c5c
            // Each term sets the high bit of every byte of its kind. Higher bits can be false positives, but the lowest set bit is always right.
            let found = ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- (ones &* 0x20)) & ~word) | word
            let hits = found & highBits
            if hits != 0 {
                position += hits.trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
    }

    @inline(never)
    private mutating func escape() throws(JSONError) {
        position += 1
        switch next {
        case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74:
            position += 1
        case 0x75:
            position += 1
            for _ in 0..<4 {
                guard let digit = next, Hex.value(digit | 0x20) != nil, digit >= 0x30 else { throw error(.badEscape) }
                position += 1
            }
        default:
            throw error(.badEscape)
        }
    }

    /// Skips a character of two to four bytes. Overlong forms, surrogates and code points above U+10FFFF are errors.
    @inline(__always)
    private mutating func character(_ first: UInt8) throws(JSONError) {
        var secondBytes: ClosedRange<UInt8> = 0x80...0xbf
        let length: Int
        switch first {
        case 0xc2...0xdf: length = 2
        case 0xe0...0xef:
            length = 3
            if first == 0xe0 { secondBytes = 0xa0...0xbf }
            if first == 0xed { secondBytes = 0x80...0x9f }
        case 0xf0...0xf4:
            length = 4
            if first == 0xf0 { secondBytes = 0x90...0xbf }
            if first == 0xf4 { secondBytes = 0x80...0x8f }
        default: throw error(.badUTF8)
        }
        position += 1
        for index in 1..<length {
            guard let byte = next, index == 1 ? secondBytes.contains(byte) : byte & 0xc0 == 0x80 else { throw error(.badUTF8) }
            position += 1
        }
    }
}
