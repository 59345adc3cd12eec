/// Appends JSON to a byte buffer. Strings contain only the escapes that JSON requires.
package enum JSONWriter {
    /// Appends a string with its quotes.
    ///
    /// - Parameters:
    ///   - string: The text.
    ///   - bytes: The buffer to append to.
    ///   - escapingBrackets: Whether `[` and `]` are escaped, for readers that search for brackets even within strings.
    @inline(__always)
    package static func append(_ string: some StringProtocol, to bytes: inout [UInt8], escapingBrackets: Bool = false) {
        let appended: Void? = string.utf8.withContiguousStorageIfAvailable {
            append(utf8: $0, to: &bytes, escapingBrackets: escapingBrackets)
        }
        guard appended == nil else { return }
        Array(string.utf8).withUnsafeBufferPointer { append(utf8: $0, to: &bytes, escapingBrackets: escapingBrackets) }
    }

    /// Appends a string with its quotes, from its UTF-8.
    package static func append(utf8 text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], escapingBrackets: Bool = false) {
        bytes.append(0x22)
        var runStart = 0
        for (index, byte) in text.enumerated() {
            let isPlain = byte >= 0x20 && byte != 0x22 && byte != 0x5c && !(escapingBrackets && (byte == 0x5b || byte == 0x5d))
            if isPlain { continue }
            bytes.append(contentsOf: text[runStart..<index])
            runStart = index + 1
            appendEscape(of: byte, to: &bytes)
        }
        bytes.append(contentsOf: text[runStart...])
        bytes.append(0x22)
    }

    static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(0x5c)
        switch byte {
        case 0x22, 0x5c: bytes.append(byte)
        case 0x08: bytes.append(0x62)
        case 0x09: bytes.append(0x74)
        case 0x0a: bytes.append(0x6e)
        case 0x0c: bytes.append(0x66)
        case 0x0d: bytes.append(0x72)
        default:
            append(raw: "u00", to: &bytes)
            Hex.append(byte, to: &bytes)
        }
    }

    /// Appends a member's key with its quotes and its colon.
    package static func append(key: String, to bytes: inout [UInt8]) {
        append(key, to: &bytes)
        bytes.append(0x3a)
    }

    /// Appends a number.
    package static func append(_ number: Int, to bytes: inout [UInt8]) {
        Decimal.append(number, to: &bytes)
    }

    /// Appends `true` or `false`.
    package static func append(_ value: Bool, to bytes: inout [UInt8]) {
        append(raw: value ? "true" : "false", to: &bytes)
    }

    /// Appends a revision ID as a string.
    package static func append(_ revision: RevisionID, to bytes: inout [UInt8]) {
        guard case .text = revision.storedDigest else {
            bytes.append(0x22)
            revision.append(to: &bytes)
            return bytes.append(0x22)
        }
        append(revision.text, to: &bytes)
    }

    /// Appends a revision's digest as a string.
    package static func append(digestOf revision: RevisionID, to bytes: inout [UInt8]) {
        guard case .text = revision.storedDigest else {
            bytes.append(0x22)
            revision.appendDigest(to: &bytes)
            return bytes.append(0x22)
        }
        append(revision.digest, to: &bytes)
    }

    /// Appends text that is JSON already.
    @inline(__always)
    package static func append(raw text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends text that is JSON already.
    @inline(__always)
    package static func append(raw text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text)
    }
}

/// Appends an object member by member, with the braces and commas.
struct ObjectWriter {
    private var isEmpty = true

    mutating func key(_ key: StaticString, _ bytes: inout [UInt8]) {
        next(&bytes)
        bytes.append(0x22)
        JSONWriter.append(raw: key, to: &bytes)
        JSONWriter.append(raw: "\":", to: &bytes)
    }

    mutating func key(_ key: String, _ bytes: inout [UInt8]) {
        next(&bytes)
        JSONWriter.append(key: key, to: &bytes)
    }

    mutating func string(_ key: StaticString, _ text: String, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(text, to: &bytes)
    }

    mutating func number(_ key: StaticString, _ number: Int, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(number, to: &bytes)
    }

    mutating func flag(_ key: StaticString, _ bytes: inout [UInt8]) {
        self.key(key, &bytes)
        JSONWriter.append(true, to: &bytes)
    }

    /// Appends JSON members that are separated by commas.
    mutating func members(_ members: some Collection<UInt8>, _ bytes: inout [UInt8]) {
        next(&bytes)
        bytes.append(contentsOf: members)
    }

    func close(_ bytes: inout [UInt8]) {
        if isEmpty { bytes.append(0x7b) }
        bytes.append(0x7d)
    }

    private mutating func next(_ bytes: inout [UInt8]) {
        bytes.append(isEmpty ? 0x7b : 0x2c)
        isEmpty = false
    }
}
