/// What the configuration says of one database.
public struct DatabaseConfiguration: Hashable, Sendable {
    public var name: String
    public var guest = GuestConfiguration()

    /// The collections besides `_default._default`, which may stand among them to be given a sync function.
    public var collections: [CollectionConfiguration] = []
    public var defaultCollection = DefaultCollectionPolicy.auto
    public var routes: [Route] = []
    public var conflicts = ConflictPolicy.keep

    /// With ``ConflictPolicy/resolve``: the JavaScript that resolves conflicts, `function (conflict) { return conflict.localDocument }`;
    /// `nil` for the default rule, by which the winning revision stays.
    public var conflictResolver: String?
    public var departures = DeparturePolicy.silent

    /// Whether revisions may go to and come from 2.x+ clients as differences. Saves bytes on the line, and costs time at both ends.
    public var deltaSync = false
    public var limits = DatabaseLimits()

    /// Filter functions of feeds by their names, JavaScript: `function (doc, req) { return doc.owner === req.query.owner }`. They go before those of
    /// design documents.
    public var filters: [String: String] = [:]

    public init(name: String) {
        self.name = name
    }
}
