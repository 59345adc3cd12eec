/// Finds the end of a JSON value by its brackets and quotes only.
struct ElementScanner {
    /// Position of a byte relative to the value.
    enum Step {
        /// The byte belongs to the value, and more bytes follow.
        case inside
        /// The byte is the value's last.
        case last
        /// The value ended before this byte.
        case before
        /// The byte closes a bracket of the other kind: a bracket is missing.
        case broken
    }

    private static let maximumDepth = 4096

    /// Expected closing brackets. Beyond a depth that no document may have, brackets are only counted.
    private var closers: [UInt8] = []
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    /// Processes the next byte.
    @inline(__always)
    mutating func consume(_ byte: UInt8) -> Step {
        if isString {
            consumeInString(byte)
            return .inside
        }
        switch byte {
        case 0x22: isString = true
        case 0x7b, 0x5b:
            // In ASCII, a closing bracket is the opening one plus two.
            if depth < Self.maximumDepth { closers.append(byte + 2) }
            depth += 1
        case 0x7d, 0x5d:
            guard depth > 0 else { return byte == 0x5d ? .before : .last }
            depth -= 1
            if depth < Self.maximumDepth, closers.removeLast() != byte { return .broken }
            if depth == 0 { return .last }
        case 0x2c, 0x20, 0x09, 0x0a, 0x0d: if depth == 0 { return .before }
        default: break
        }
        return .inside
    }

    private mutating func consumeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == 0x5c {
            isEscaped = true
        } else if byte == 0x22 || byte == 0x0a {
            // A JSON string cannot contain a newline. Ending a string with a missing quote there lets the scanner resynchronise.
            isString = false
        }
    }
}
