/// The headers of one part, in order. Names are compared without regard to case and written exactly as given:
/// Couchbase Lite for iOS and Java compares the names in parts case-sensitively.
public struct PartHeaders: Sendable, Hashable {
    /// One header.
    public struct Field: Sendable, Hashable {
        /// As it was written.
        public let name: String
        /// Without the blanks around it.
        public let value: String
    }

    /// In the order in which they stand.
    public private(set) var fields: [Field] = []

    /// No headers yet.
    public init() {}

    /// The value of the first header of that name.
    public subscript(name: String) -> String? {
        fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value
    }

    /// Adds a header. Control characters, which could end it and begin another, become spaces.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: Self.harmless(name), value: Self.harmless(value)))
    }

    private static func harmless(_ text: String) -> String {
        guard text.utf8.contains(where: ASCII.isControl) else { return text }
        return String(decoding: text.utf8.map { ASCII.isControl($0) ? ASCII.space : $0 }, as: UTF8.self)
    }

    /// The headers as they stand in a part, each with its CRLF, without the blank line.
    func write(to bytes: inout [UInt8]) {
        for field in fields {
            bytes += field.name.utf8
            bytes += [ASCII.colon, ASCII.space]
            bytes += field.value.utf8
            bytes += [ASCII.carriageReturn, ASCII.lineFeed]
        }
    }

    /// What `write(to:)` adds, in bytes.
    var writtenLength: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}
