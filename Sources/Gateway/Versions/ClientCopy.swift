import Storage

/// A client's side of a collection. A database that goes from its default collection to named ones has documents twice for a while, and each copy
/// remembers something else of the time before the upgrade to versions.
public struct ClientCopy: Sendable, Hashable {
    /// By which the store knows it: the UUID of the client's database, with the collection behind it if that is not the default one.
    let name: String

    /// - Parameter client: the UUID of the client's database.
    public init(client: String, keyspace: Keyspace) {
        name =
            switch keyspace.scope {
            case .unified, .collection(.default): client
            case .collection(let key):
                keyspace.database.collections[key].map { "\(client)/\($0.scope).\($0.name)" } ?? "\(client)/\(key.value)"
            }
    }
}
