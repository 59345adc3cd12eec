/// Reads a JSON text once, from its start to its end, without building a tree.
///
/// The whole text is checked against RFC 8259 as it is read, UTF-8 included. Values that are skipped are checked, too.
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
/// Each value is read by one call: ``string()``, ``int()``, ``object(uniqueKeys:_:)`` and so on. A member or element that a closure does
/// not read is skipped.
public struct JSONReader: ~Copyable {
    /// How many arrays and objects may be nested where the reader is not told otherwise.
    public static let defaultMaximumDepth = 512

    private let source: ArraySlice<UInt8>
    var scanner: JSONScanner

    /// How many arrays and objects are open.
    private(set) var depth = 0

    private init(_ bytes: UnsafePointer<UInt8>, source: ArraySlice<UInt8>, maximumDepth: Int) {
        self.source = source
        scanner = JSONScanner(bytes, count: source.count, maximumDepth: maximumDepth)
    }

    /// Reads a text that is one JSON value.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: How many arrays and objects may be nested.
    ///   - body: Reads the value. A value that it leaves is skipped.
    /// - Throws: ``JSONError`` where the text is not one JSON value, and what `body` throws.
    public static func read<Value>(
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

    /// Reads a text that is one JSON value; see ``read(_:maximumDepth:_:)-(ArraySlice<UInt8>,_,_)``.
    public static func read<Value>(
        _ bytes: [UInt8],
        maximumDepth: Int = defaultMaximumDepth,
        _ body: (inout JSONReader) throws -> Value,
    ) throws -> Value {
        try read(bytes[...], maximumDepth: maximumDepth, body)
    }

    /// Where the reader is: bytes from the start of the text.
    public var offset: Int { scanner.position }

    /// The kind of the next value, from its first byte; nil where there is no value, as after the last one.
    public var kind: JSONKind? {
        scanner.next.flatMap { JSONKind(firstByte: $0) }
    }

    /// Whether the next value is `null`.
    public var isNull: Bool { kind == .null }

    /// The bytes between two offsets.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        source[source.startIndex + range.lowerBound..<source.startIndex + range.upperBound]
    }

    /// An error of this kind at this place.
    public func error(_ code: JSONError.Code) -> JSONError {
        JSONError(code, at: offset)
    }

    /// Steps over the next value of whatever kind, and answers where it lies.
    @discardableResult
    public mutating func skip() throws(JSONError) -> Range<Int> {
        let start = offset
        try scanner.value(depth: depth)
        return start..<offset
    }

    /// Goes back to where a value begins, and steps over it: for what is well-formed but cannot be used.
    mutating func skip(from start: Int, depth: Int) throws(JSONError) {
        scanner.position = start
        self.depth = depth
        try skip()
    }

    /// The next value's text as it stands.
    public mutating func raw() throws(JSONError) -> ArraySlice<UInt8> {
        bytes(try skip())
    }

    /// Reads an array.
    ///
    /// - Parameter element: Called before each element; reads it, or leaves it.
    /// - Throws: ``JSONError`` `wrongType` if the next value is no array.
    public mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try open(.array)
        if scanner.take(0x5d) {
            depth -= 1
            return
        }
        while true {
            let start = offset
            try expectValue()
            try element(&self)
            if offset == start { try skip() }
            scanner.whitespace()
            if scanner.take(0x2c) {
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
    ///   - uniqueKeys: Whether a key that comes twice is an error.
    ///   - member: Called before each member's value; reads it, or leaves it.
    /// - Throws: ``JSONError`` `wrongType` if the next value is no object, `duplicateKey`.
    public mutating func object(uniqueKeys: Bool = true, _ member: (borrowing JSONKey, inout JSONReader) throws -> Void) throws {
        try open(.object)
        if scanner.take(0x7d) {
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
            if scanner.take(0x2c) {
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

    /// Checks that something that can begin a value is next, so that closures meet values only.
    private func expectValue() throws(JSONError) {
        guard kind != nil else { throw scanner.error(.unexpectedByte) }
    }

    /// Checks that the next value is of this kind, or at least begins as if it were.
    func expect(_ expected: JSONKind) throws(JSONError) {
        guard let kind else { throw scanner.error(.unexpectedByte) }
        guard kind == expected else { throw error(.wrongType) }
    }
}

/// The kinds of JSON value.
public enum JSONKind: Hashable, Sendable {
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
