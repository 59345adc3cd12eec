/// Where a route puts a document.
public struct RouteMatch: Hashable, Sendable {
    public let collection: CollectionName

    /// The document's ID there.
    public let id: String

    public init(collection: CollectionName, id: String) {
        self.collection = collection
        self.id = id
    }
}
