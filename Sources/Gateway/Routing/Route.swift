import Documents

/// A rule that assigns documents of the unified keyspace to a collection.
package struct Route: Hashable, Sendable {
    package var collection: CollectionName
    package var condition: RouteCondition

    /// Whether the condition's prefix is removed from the ID in the collection.
    package var stripsPrefix: Bool

    package init(to collection: CollectionName, when condition: RouteCondition, stripsPrefix: Bool = false) {
        self.collection = collection
        self.condition = condition
        self.stripsPrefix = stripsPrefix
    }

    /// The removed prefix; `nil` if none is removed.
    package var strippedPrefix: String? {
        guard stripsPrefix, case .idPrefix(let prefix) = condition else { return nil }
        return prefix
    }
}

/// When a route applies to a document that is created in the unified keyspace.
package enum RouteCondition: Hashable, Sendable {
    /// A top-level property has this value.
    case property(name: String, equals: ScalarValue)
    /// The document's ID begins with this text.
    case idPrefix(String)
    /// A regular expression matches in the document's ID.
    case idPattern(String)
    /// The document is in this channel.
    case channel(String)
    /// A JavaScript function of the document returns a true value.
    case javaScript(String)
}

/// A value for comparison with a property in a route.
package enum ScalarValue: Hashable, Sendable, CustomStringConvertible {
    case string(String)
    case number(Double)
    case bool(Bool)

    package var description: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        }
    }

    /// Whether a property of a document has this value. Strings are compared by their bytes, numbers by value: `1` and `1.0` are equal.
    func equals(_ value: JSONValue?) -> Bool {
        switch self {
        case .string(let text): value?.string?.utf8.elementsEqual(text.utf8) ?? false
        case .number(let number): value?.double == number
        case .bool(let flag): value?.bool == flag
        }
    }
}
