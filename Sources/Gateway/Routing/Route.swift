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
