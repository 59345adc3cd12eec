import Documents

/// A value that a property can be compared with in a route.
public enum ScalarValue: Hashable, Sendable, CustomStringConvertible {
    case string(String)
    case number(Double)
    case bool(Bool)

    public var description: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        }
    }

    /// Whether a property of a document has this value. A text is compared by its
    /// bytes; a number as a number: `1` and `1.0` are equal.
    func equals(_ value: JSONValue?) -> Bool {
        switch self {
        case .string(let text): value?.string?.utf8.elementsEqual(text.utf8) ?? false
        case .number(let number): value?.double == number
        case .bool(let flag): value?.bool == flag
        }
    }
}
