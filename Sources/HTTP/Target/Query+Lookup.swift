extension Query {
    /// The value of the first item of that name.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The values of all items of that name.
    public func values(named name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// Whether there is an item of that name, with or without a value.
    public func contains(_ name: String) -> Bool {
        items.contains { $0.name == name }
    }

    /// Numbers of queries are at most this far from zero, so that sums and products of a few of them cannot overflow.
    public static let numbers = -(1 << 40)...(1 << 40)

    /// A whole number, `nil` if the item is missing or empty. One beyond ``numbers`` counts as their end: more rows than that nobody has.
    ///
    /// - Throws: `invalidParameter` if the value is anything else, or does not fit into 64 bits.
    public func int(_ name: String) throws(RequestTargetError) -> Int? {
        guard let value = self[name], !value.isEmpty else { return nil }
        guard let number = Self.number(value) else { throw Self.mismatch(name, "a whole number") }
        return number
    }

    /// The number that a text is, as ``int(_:)`` reads it.
    public static func number(_ text: String) -> Int? {
        Int(text).map { min(max($0, numbers.lowerBound), numbers.upperBound) }
    }

    /// `true` or `false` (or 1 or 0), `nil` if the item is missing or empty.
    ///
    /// - Throws: `invalidParameter` if the value is anything else.
    public func bool(_ name: String) throws(RequestTargetError) -> Bool? {
        switch self[name] {
        case nil, "": nil
        case "true", "1": true
        case "false", "0": false
        default: throw Self.mismatch(name, "true or false")
        }
    }

    /// The bytes of a value that is JSON, such as `keys=["a","b"]` or `atts_since=[]`; `nil` if missing or empty.
    public func json(_ name: String) -> [UInt8]? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return Array(value.utf8)
    }

    private static func mismatch(_ name: String, _ expected: String) -> RequestTargetError {
        RequestTargetError(.invalidParameter, "The query parameter \(name) must be \(expected).")
    }
}
