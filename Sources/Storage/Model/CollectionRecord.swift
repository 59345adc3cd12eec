/// A collection as the store knows it.
public struct CollectionRecord: Hashable, Sendable {
    public let key: CollectionKey
    public let scope: String
    public let name: String

    /// Whether its documents are left out of the unified keyspace.
    public let isHidden: Bool

    /// While a change of `isHidden` is still being carried out on its documents: the last one that was looked at, 0 for none yet.
    public let pending: DocumentKey?

    public init(key: CollectionKey, scope: String, name: String, isHidden: Bool, pending: DocumentKey? = nil) {
        self.key = key
        self.scope = scope
        self.name = name
        self.isHidden = isHidden
        self.pending = pending
    }
}
