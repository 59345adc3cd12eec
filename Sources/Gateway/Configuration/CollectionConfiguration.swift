/// What the configuration says of one collection.
public struct CollectionConfiguration: Hashable, Sendable {
    public var name: CollectionName

    /// The sync function's JavaScript; `nil` for the default, which takes channels from the `channels` property.
    public var syncFunction: String?

    /// Whether its documents are left out of the unified keyspace.
    public var isHidden: Bool

    public init(name: CollectionName, syncFunction: String? = nil, isHidden: Bool = false) {
        self.name = name
        self.syncFunction = syncFunction
        self.isHidden = isHidden
    }
}
