import Documents

/// A rule that says which collection a document of the unified keyspace lives in.
public struct Route: Hashable, Sendable {
    public var collection: CollectionName
    public var condition: RouteCondition

    /// Whether the prefix of the condition is cut off to make the ID in the collection.
    public var stripsPrefix: Bool

    public init(to collection: CollectionName, when condition: RouteCondition, stripsPrefix: Bool = false) {
        self.collection = collection
        self.condition = condition
        self.stripsPrefix = stripsPrefix
    }

    /// The prefix that is cut off, if one is.
    public var strippedPrefix: String? {
        guard stripsPrefix, case .idPrefix(let prefix) = condition else { return nil }
        return prefix
    }
}

/// When a route applies to a document that is created in the unified keyspace.
public enum RouteCondition: Hashable, Sendable {
    /// A top-level property has this value.
    case property(name: String, equals: ScalarValue)
    /// The document's ID begins with this text.
    case idPrefix(String)
    /// A regular expression is found in the document's ID.
    case idPattern(String)
    /// The document is in this channel.
    case channel(String)
    /// A JavaScript function of the document returns something true.
    case javaScript(String)
}

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
