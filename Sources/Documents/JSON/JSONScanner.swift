/// Scans JSON text, checks it against RFC 8259 and finds the ends of values. It decodes nothing.
///
/// Escaped lone surrogates are accepted, as in Sync Gateway and CouchDB; a body that contains them is not changed.
struct JSONScanner {
    private let bytes: UnsafePointer<UInt8>
    let count: Int
    var position = 0

    /// The maximum nesting depth of arrays and objects.
    let maximumDepth: Int

    /// The text must not be empty.
    init(_ bytes: UnsafePointer<UInt8>, count: Int, maximumDepth: Int) {
        self.bytes = bytes
        self.count = count
        self.maximumDepth = maximumDepth
    }

    /// The byte at the current position; nil at the end.
    var next: UInt8? {
        @inline(__always) get { position < count ? bytes[position] : nil }
    }

    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
    }

    func error(_ code: JSONError.Code) -> JSONError {
        JSONError(position < count ? code : .unexpectedEnd, at: position)
    }

    @inline(__always)
    mutating func whitespace() {
        while position < count {
            switch bytes[position] {
            case 0x20, 0x0a, 0x0d, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips the given byte if it is the next one, and returns whether it was.
    @inline(__always)
    mutating func consume(_ byte: UInt8) -> Bool {
        guard position < count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard consume(byte) else { throw error(.unexpectedByte) }
    }

    /// Skips one value of any kind.
    mutating func value(depth: Int) throws(JSONError) {
        switch next {
        case 0x22: _ = try string()
        case 0x7b: try object(depth: depth)
        case 0x5b: try array(depth: depth)
        case 0x74: try literal("true")
        case 0x66: try literal("false")
        case 0x6e: try literal("null")
        case 0x2d, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39: _ = try number()
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        position += 1
        whitespace()
        if consume(0x7d) { return }
        while true {
            _ = try string()
            whitespace()
            try expect(0x3a)
            whitespace()
            try value(depth: depth + 1)
            whitespace()
            if consume(0x2c) {
                whitespace()
                continue
            }
            return try expect(0x7d)
        }
    }

    private mutating func array(depth: Int) throws(JSONError) {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        position += 1
        whitespace()
        if consume(0x5d) { return }
        while true {
            try value(depth: depth + 1)
            whitespace()
            if consume(0x2c) {
                whitespace()
                continue
            }
            return try expect(0x5d)
        }
    }

    mutating func literal(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount {
            try expect(text.utf8Start[index])
        }
    }

    /// Skips a number, and returns whether it has neither a fraction nor an exponent.
    mutating func number() throws(JSONError) -> Bool {
        var isWhole = true
        _ = consume(0x2d)
        if !consume(0x30) { try digits() }
        if consume(0x2e) {
            isWhole = false
            try digits()
        }
        if let next, next | 0x20 == 0x65 {
            isWhole = false
            position += 1
            if !consume(0x2b) { _ = consume(0x2d) }
            try digits()
        }
        if let next, next &- 0x30 < 10 { throw error(.badNumber) }
        return isWhole
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while position < count, bytes[position] &- 0x30 < 10 { position += 1 }
        if start == position { throw error(.badNumber) }
    }
}
