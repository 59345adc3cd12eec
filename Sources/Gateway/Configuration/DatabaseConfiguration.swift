/// What the configuration says of one database.
public struct DatabaseConfiguration: Hashable, Sendable {
    public var name: String
    public var guest = GuestConfiguration()

    /// The collections besides `_default._default`, which may stand among them to be given a sync function.
    public var collections: [CollectionConfiguration] = []
    public var defaultCollection = DefaultCollectionPolicy.auto
    public var routes: [Route] = []
    public var conflicts = ConflictPolicy.keep
    public var departures = DeparturePolicy.silent
    public var limits = DatabaseLimits()

    public init(name: String) {
        self.name = name
    }
}
