/// A collection as the store knows it.
public struct CollectionRecord: Hashable, Sendable {
    public let key: CollectionKey
    public let scope: String
    public let name: String

    /// Whether its documents are left out of the unified keyspace.
    public let isHidden: Bool

    public init(key: CollectionKey, scope: String, name: String, isHidden: Bool) {
        self.key = key
        self.scope = scope
        self.name = name
        self.isHidden = isHidden
    }
}
