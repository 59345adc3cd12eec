/// A small JSON value as a tree, for messages with a few fields to read. Documents are not parsed into trees for storage.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as its text, without loss of precision.
    case number(String)
    /// A text.
    case string(String)
    /// The elements in their order.
    case array([JSONValue])
    /// The members in their order.
    case object([JSONMember])

    /// Reads a text that consists of one JSON value.
    ///
    /// - Throws: `JSONError`; duplicate keys and lone surrogates are errors.
    package init(_ bytes: ArraySlice<UInt8>, maximumDepth: Int = JSONReader.defaultMaximumDepth) throws {
        self = try JSONReader.read(bytes, maximumDepth: maximumDepth) { try JSONValue(reading: &$0) }
    }

    /// Reads a text that consists of one JSON value.
    package init(_ bytes: [UInt8], maximumDepth: Int = JSONReader.defaultMaximumDepth) throws {
        try self.init(bytes[...], maximumDepth: maximumDepth)
    }

    /// Reads a reader's next value.
    package init(reading reader: inout JSONReader) throws {
        switch reader.kind {
        case .string: self = .string(try reader.string())
        case .number: self = .number(try reader.number())
        case .bool: self = .bool(try reader.bool())
        case .array:
            var elements: [JSONValue] = []
            try reader.array { elements.append(try JSONValue(reading: &$0)) }
            self = .array(elements)
        case .object:
            var members: [JSONMember] = []
            try reader.object { members.append(JSONMember(try $0.string(), try JSONValue(reading: &$1))) }
            self = .object(members)
        case .null, nil:
            try reader.null()
            self = .null
        }
    }

    /// Reads a document as JavaScript engines and Go do: the last of several equal keys applies, and U+FFFD replaces lone surrogates.
    ///
    /// Stored documents may contain both, and one such document must not break a feed for its readers.
    ///
    /// - Throws: `JSONError` if the text is not JSON.
    public init(document bytes: [UInt8]) throws {
        self = try JSONReader.read(bytes) { try JSONValue(readingPartOf: &$0) }
    }

    private init(readingPartOf reader: inout JSONReader) throws {
        switch reader.kind {
        case .string: self = .string(try reader.replacedString())
        case .array:
            var elements: [JSONValue] = []
            try reader.array { elements.append(try JSONValue(readingPartOf: &$0)) }
            self = .array(elements)
        case .object:
            var members: [JSONMember] = []
            try reader.object(uniqueKeys: false) { members.append(JSONMember($0.replacedString, try JSONValue(readingPartOf: &$1))) }
            var seen: Set<ExactString> = []
            self = .object(members.reversed().filter { seen.insert(ExactString($0.key)).inserted }.reversed())
        default: self = try JSONValue(reading: &reader)
        }
    }

    /// The members of both objects; `other` overrides equal keys. If either value is not an object, the result is `other`.
    public func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(let mine) = self, case .object(let others) = other else { return other }
        let keys = Set(others.map { ExactString($0.key) })
        return .object(mine.filter { !keys.contains(ExactString($0.key)) } + others)
    }
}

extension JSONValue {
    /// The value of an object's member; nil if there is no such member or this is not an object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, if this is an object.
    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The text, if this is a string.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number, if this is an integer that fits 64 bits.
    public var int: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    /// The number, if this is a number.
    public var double: Double? {
        guard case .number(let text) = self else { return nil }
        return Double(text)
    }

    /// The Boolean, if this is a Boolean.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// Appends the value's JSON.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: JSONWriter.append(raw: "null", to: &bytes)
        case .bool(let value): JSONWriter.append(value, to: &bytes)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): JSONWriter.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(0x5b)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                element.append(to: &bytes)
            }
            bytes.append(0x5d)
        case .object(let members):
            bytes.append(0x7b)
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                JSONWriter.append(key: member.key, to: &bytes)
                member.value.append(to: &bytes)
            }
            bytes.append(0x7d)
        }
    }
}

/// A member of an object.
public struct JSONMember: Hashable, Sendable {
    /// The member's name.
    public let key: String

    /// The member's value.
    public let value: JSONValue

    /// Creates a member.
    public init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}
