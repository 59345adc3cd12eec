/// What the configuration says of one collection.
public struct CollectionConfiguration: Hashable, Sendable {
    public var name: CollectionName

    /// The sync function's JavaScript; empty for the default function, which takes channels from the `channels` property.
    ///
    /// `nil` says nothing: the function that the store has for the collection holds, or else that of the default collection.
    public var syncFunction: String?

    /// Whether its documents are left out of the unified keyspace; `nil` says nothing.
    public var isHidden: Bool?

    public init(name: CollectionName, syncFunction: String? = nil, isHidden: Bool? = nil) {
        self.name = name
        self.syncFunction = syncFunction
        self.isHidden = isHidden
    }
}
