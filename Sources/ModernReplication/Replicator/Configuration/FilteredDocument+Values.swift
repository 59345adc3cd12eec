public import Documents

/// Properties by their names, as documents of Couchbase Lite have them.
extension FilteredDocument {
    /// A property; `nil` if the document has none of this name.
    public subscript(key: String) -> JSONValue? { properties[key] }

    /// A text; `nil` if there is none of this name.
    public func string(forKey key: String) -> String? { self[key]?.string }

    /// A whole number; 0 if there is none of this name.
    public func int(forKey key: String) -> Int { self[key]?.int ?? 0 }

    /// A number; 0 if there is none of this name.
    public func double(forKey key: String) -> Double { self[key]?.double ?? 0 }

    /// A truth value, or whether there is anything but null and 0 of this name.
    public func boolean(forKey key: String) -> Bool {
        switch self[key] {
        case nil, .null: false
        case .bool(let value): value
        case .number(let text): Double(text) != 0
        case .string, .array, .object: true
        }
    }
}
