extension JSONValue {
    /// Reads a document as JavaScript engines and Go do: of a key that comes twice the last counts, and a lone surrogate is U+FFFD.
    ///
    /// Documents may have both within, and stand in feeds that everybody reads.
    ///
    /// - Throws: ``JSONError`` where the text is no JSON.
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
}
