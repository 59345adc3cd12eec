/// Reads a JSON text once, sequentially, without building a tree.
///
/// The reader checks the whole text against RFC 8259, including UTF-8. Skipped values are checked, too.
///
/// ```swift
/// let since = try JSONReader.read(bytes) { reader in
///     var since: Int?
///     try reader.object { key, value in
///         if key == "since" { since = try value.int() }
///     }
///     return since
/// }
/// ```
///
/// Each value is read by one call: ``string()``, ``int()``, ``object(uniqueKeys:_:)`` and so on. If a closure does not read its member or
/// element, the reader skips it.
package struct JSONReader: ~Copyable {
    /// The default maximum nesting depth of arrays and objects.
    package static let defaultMaximumDepth = 512

    private let source: ArraySlice<UInt8>
    var scanner: JSONScanner

    /// The number of open arrays and objects.
    private(set) var depth = 0

    private init(_ bytes: UnsafePointer<UInt8>, source: ArraySlice<UInt8>, maximumDepth: Int) {
        self.source = source
        scanner = JSONScanner(bytes, count: source.count, maximumDepth: maximumDepth)
    }

    /// Reads a text that consists of one JSON value.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: The maximum nesting depth of arrays and objects.
    ///   - body: Reads the value. If it reads nothing, the value is skipped.
    /// - Throws: ``JSONError`` if the text is not one JSON value; any error of `body`.
    package static func read<Value>(
        _ bytes: ArraySlice<UInt8>,
        maximumDepth: Int = defaultMaximumDepth,
        _ body: (inout JSONReader) throws -> Value,
    ) throws -> Value {
        try bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress, !buffer.isEmpty else { throw JSONError(.unexpectedEnd, at: 0) }
            var reader = JSONReader(start, source: bytes, maximumDepth: maximumDepth)
            reader.scanner.whitespace()
            try reader.expectValue()
            let first = reader.offset
            let value = try body(&reader)
            if reader.offset == first { try reader.skip() }
            reader.scanner.whitespace()
            guard reader.scanner.next == nil else { throw reader.scanner.error(.trailingBytes) }
            return value
        }
    }

    /// Reads a text that consists of one JSON value; see ``read(_:maximumDepth:_:)-(ArraySlice<UInt8>,_,_)``.
    package static func read<Value>(
        _ bytes: [UInt8],
        maximumDepth: Int = defaultMaximumDepth,
        _ body: (inout JSONReader) throws -> Value,
    ) throws -> Value {
        try read(bytes[...], maximumDepth: maximumDepth, body)
    }

    /// The reader's position, in bytes from the start of the text.
    package var offset: Int { scanner.position }

    /// The kind of the next value, derived from its first byte; nil if there is no next value.
    package var kind: JSONKind? {
        scanner.next.flatMap { JSONKind(firstByte: $0) }
    }

    /// Whether the next value is `null`.
    package var isNull: Bool { kind == .null }

    /// The bytes between two offsets.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        source[source.startIndex + range.lowerBound..<source.startIndex + range.upperBound]
    }

    /// An error at the current position.
    package func error(_ code: JSONError.Code) -> JSONError {
        JSONError(code, at: offset)
    }

    /// Skips the next value of any kind, and returns its range.
    @discardableResult
    package mutating func skip() throws(JSONError) -> Range<Int> {
        let start = offset
        try scanner.value(depth: depth)
        return start..<offset
    }

    /// Returns to the start of a value and skips it. For values that are well-formed but not usable.
    mutating func skip(from start: Int, depth: Int) throws(JSONError) {
        scanner.position = start
        self.depth = depth
        try skip()
    }

    /// Reads the next value as its unparsed text.
    package mutating func raw() throws(JSONError) -> ArraySlice<UInt8> {
        bytes(try skip())
    }

    /// Reads an array.
    ///
    /// - Parameter element: Called at the start of each element. If it reads nothing, the element is skipped.
    /// - Throws: ``JSONError`` `wrongType` if the next value is not an array.
    package mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try open(.array)
        if scanner.consume(0x5d) {
            depth -= 1
            return
        }
        while true {
            let start = offset
            try expectValue()
            try element(&self)
            if offset == start { try skip() }
            scanner.whitespace()
            if scanner.consume(0x2c) {
                scanner.whitespace()
                continue
            }
            try scanner.expect(0x5d)
            depth -= 1
            return
        }
    }

    /// Reads an object.
    ///
    /// - Parameters:
    ///   - uniqueKeys: Whether a duplicate key is an error.
    ///   - member: Called at the start of each member's value. If it reads nothing, the value is skipped.
    /// - Throws: ``JSONError`` `wrongType` if the next value is not an object; `duplicateKey`.
    package mutating func object(uniqueKeys: Bool = true, _ member: (borrowing JSONKey, inout JSONReader) throws -> Void) throws {
        try open(.object)
        if scanner.consume(0x7d) {
            depth -= 1
            return
        }
        var keys = JSONKeySet()
        while true {
            let start = offset
            let isEscaped = try scanner.string()
            let key = JSONKey(raw: scanner.slice(start + 1..<offset - 1), isEscaped: isEscaped, offset: start)
            if uniqueKeys, !keys.insert(key) { throw JSONError(.duplicateKey, at: start) }
            scanner.whitespace()
            try scanner.expect(0x3a)
            scanner.whitespace()
            let valueStart = offset
            try expectValue()
            try member(key, &self)
            if offset == valueStart { try skip() }
            scanner.whitespace()
            if scanner.consume(0x2c) {
                scanner.whitespace()
                continue
            }
            try scanner.expect(0x7d)
            depth -= 1
            return
        }
    }

    private mutating func open(_ kind: JSONKind) throws(JSONError) {
        try expect(kind)
        guard depth < scanner.maximumDepth else { throw error(.tooDeep) }
        depth += 1
        scanner.position += 1
        scanner.whitespace()
    }

    /// Checks that the next byte can begin a value, so that closures are called at values only.
    private func expectValue() throws(JSONError) {
        guard kind != nil else { throw scanner.error(.unexpectedByte) }
    }

    /// Checks that the next value is of this kind, judging by its first byte.
    func expect(_ expected: JSONKind) throws(JSONError) {
        guard let kind else { throw scanner.error(.unexpectedByte) }
        guard kind == expected else { throw error(.wrongType) }
    }
}

/// The kinds of JSON value.
package enum JSONKind: Hashable, Sendable {
    case null, bool, number, string, array, object

    init?(firstByte: UInt8) {
        switch firstByte {
        case 0x22: self = .string
        case 0x7b: self = .object
        case 0x5b: self = .array
        case 0x2d, 0x30...0x39: self = .number
        case 0x74, 0x66: self = .bool
        case 0x6e: self = .null
        default: return nil
        }
    }
}
