public import Gateway

/// A collection here and what the other side calls it.
public struct ReplicatedName: Hashable, Sendable {
    public var local: CollectionName
    public var remote: CollectionName

    public init(_ local: CollectionName, remote: CollectionName? = nil) {
        self.local = local
        self.remote = remote ?? local
    }
}
