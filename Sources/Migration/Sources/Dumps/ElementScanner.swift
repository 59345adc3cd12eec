/// Finds where a JSON value ends by its brackets and quotes alone.
struct ElementScanner {
    /// Where a byte stands.
    enum Step {
        /// It belongs to the value, and more follows.
        case inside
        /// It is the value's last.
        case last
        /// It comes after the value.
        case before
        /// It closes what was not opened: somewhere a bracket is missing.
        case broken
    }

    private static let maximumDepth = 4096

    /// What will close the brackets that are open; beyond a depth that no document may have they are only counted.
    private var closers: [UInt8] = []
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    /// Takes the next byte.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Step {
        if isString {
            takeInString(byte)
            return .inside
        }
        switch byte {
        case 0x22: isString = true
        case 0x7b, 0x5b:
            // A closing bracket's code is that of the opening one and two.
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

    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == 0x5c {
            isEscaped = true
        } else if byte == 0x22 || byte == 0x0a {
            // No string goes beyond its line; one that has lost its quote ends there, so that what follows is found again.
            isString = false
        }
    }
}
