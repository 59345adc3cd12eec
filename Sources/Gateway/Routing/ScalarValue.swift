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
}
