/// A small JSON value as a tree, for messages that are looked into here and there. Documents are never read into one.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number as its text: nothing is lost.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// The members in their order.
    case object([JSONMember])

    /// Reads a text that is one JSON value.
    ///
    /// - Throws: ``JSONError``; duplicate keys and lone surrogates are errors.
    public init(_ bytes: ArraySlice<UInt8>, maximumDepth: Int = JSONReader.defaultMaximumDepth) throws {
        self = try JSONReader.read(bytes, maximumDepth: maximumDepth) { try JSONValue(reading: &$0) }
    }

    /// Reads a text that is one JSON value.
    public init(_ bytes: [UInt8], maximumDepth: Int = JSONReader.defaultMaximumDepth) throws {
        try self.init(bytes[...], maximumDepth: maximumDepth)
    }

    /// Reads a reader's next value.
    public init(reading reader: inout JSONReader) throws {
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
}

/// A member of an object.
public struct JSONMember: Hashable, Sendable {
    public let key: String
    public let value: JSONValue

    public init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}
