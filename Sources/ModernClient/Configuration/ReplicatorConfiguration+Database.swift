public import Gateway

/// Couchbase Lite 2.x and 3.0's names, from before there were collections: they are about the default one.
extension ReplicatorConfiguration {
    /// Replicates the database's default collection: all that legacy clients see of it.
    public init(database: Database, target: any ReplicatorEndpoint) {
        self.init(target: target)
        addCollection(database.unified)
    }

    /// Only documents of these channels are pulled; all that the user may see if empty. Sync Gateway only.
    public var channels: [String] {
        get { defaultCollection.channels }
        set { defaultCollection.channels = newValue }
    }

    /// Only these documents are replicated; all if empty.
    public var documentIDs: [String] {
        get { defaultCollection.documentIDs }
        set { defaultCollection.documentIDs = newValue }
    }

    /// Which local documents are pushed.
    public var pushFilter: ReplicationFilter? {
        get { defaultCollection.pushFilter }
        set { defaultCollection.pushFilter = newValue }
    }

    /// Which documents of the server are taken.
    public var pullFilter: ReplicationFilter? {
        get { defaultCollection.pullFilter }
        set { defaultCollection.pullFilter = newValue }
    }

    /// What becomes of a document that was changed on both sides.
    public var conflictResolver: ConflictResolver {
        get { defaultCollection.conflictResolver }
        set { defaultCollection.conflictResolver = newValue }
    }

    /// Adds several collections that are replicated alike.
    public mutating func addCollections(_ keyspaces: [Keyspace], config: CollectionConfiguration = CollectionConfiguration()) {
        for keyspace in keyspaces { addCollection(keyspace, config: config) }
    }

    /// How the default collection is replicated. Setting it does nothing where that is not replicated.
    private var defaultCollection: CollectionConfiguration {
        get { collections.first { $0.name == .default }?.configuration ?? CollectionConfiguration() }
        set {
            guard let index = collections.firstIndex(where: { $0.name == .default }) else { return }
            collections[index] = ReplicatedCollection(keyspace: collections[index].keyspace, name: .default, configuration: newValue)
        }
    }
}
