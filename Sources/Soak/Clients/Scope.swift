/// The part of the database that a client replicates.
enum Scope: Sendable {
    /// The flat keyspace, as all that know no collections.
    case flat

    /// The collection of orders.
    case orders

    /// The default collection, where notes are.
    case notes

    /// As `getCollections` names it; `nil` where that is not asked.
    var collection: String? {
        switch self {
        case .flat: nil
        case .orders: SoakBridge.collection
        case .notes: "_default"
        }
    }

    /// The property `type` of documents that it has; the routes go by it.
    var types: [String] {
        switch self {
        case .flat: ["order", "note"]
        case .orders: ["order"]
        case .notes: ["note"]
        }
    }
}
