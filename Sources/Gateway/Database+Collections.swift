public import Storage

extension Database {
    /// The collections that the configuration names, and the default one, in the order of their keys.
    public var collectionRecords: [CollectionRecord] { collections.records }

    /// The store's own name for a collection; `nil` if the configuration does not name it.
    public func collectionKey(_ name: CollectionName) -> CollectionKey? { collections[name]?.key }

    /// Names the routes, so that a run is gone on with only under the same ones.
    public var routesFingerprint: String {
        configuration.routes.map { "\($0.collection) \($0.condition) \($0.stripsPrefix)" }.joined(separator: "\n")
    }
}
