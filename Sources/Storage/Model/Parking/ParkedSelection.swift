/// Which parked revisions are meant: all, or those of one replication, direction, collection, document.
public struct ParkedSelection: Sendable, Hashable {
    public var replication: String?
    public var direction: ParkedDirection?
    public var collection: String?
    public var id: String?

    /// Whether those count, too, that were taken off the list by hand, and have not been taken by the server since.
    public var includesForgotten = false

    public init(replication: String? = nil, direction: ParkedDirection? = nil, collection: String? = nil, id: String? = nil) {
        self.replication = replication
        self.direction = direction
        self.collection = collection
        self.id = id
    }

    public static let all = ParkedSelection()

    /// Whether those are meant, too, of which only the number is kept.
    var includesSurplus: Bool { collection == nil && id == nil }
}
