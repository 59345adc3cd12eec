public import LocalStore

/// Couchbase Lite 2.x and 3.0's names, without collections: they refer to the default collection.
extension ReplicatorConfiguration {
    /// Replicates the documents of all collections as those of the default collection (`LocalDatabase.unified`).
    public init(database: LocalDatabase, target: any ReplicatorEndpoint) {
        self.init(target: target)
        addCollection(database.unified)
    }

    /// Pulls only documents of these channels; if empty, all documents that the user can access. Sync Gateway only.
    public var channels: [String] {
        get { defaultCollection.channels }
        set { defaultCollection.channels = newValue }
    }

    /// Replicates only these documents; all if empty.
    public var documentIDs: [String] {
        get { defaultCollection.documentIDs }
        set { defaultCollection.documentIDs = newValue }
    }

    /// Selects the local documents to push.
    public var pushFilter: ReplicationFilter? {
        get { defaultCollection.pushFilter }
        set { defaultCollection.pushFilter = newValue }
    }

    /// Selects the server's documents to store.
    public var pullFilter: ReplicationFilter? {
        get { defaultCollection.pullFilter }
        set { defaultCollection.pullFilter = newValue }
    }

    /// Resolves documents that were changed on both sides.
    public var conflictResolver: ConflictResolver {
        get { defaultCollection.conflictResolver }
        set { defaultCollection.conflictResolver = newValue }
    }

    /// Adds several collections with the same configuration.
    public mutating func addCollections(_ collections: [LocalCollection], config: CollectionConfiguration = CollectionConfiguration()) {
        for collection in collections { addCollection(collection, config: config) }
    }

    /// The configuration of the default collection. Setting it has no effect if that collection is not replicated.
    private var defaultCollection: CollectionConfiguration {
        get { collections.first { $0.name == .default }?.configuration ?? CollectionConfiguration() }
        set {
            guard let index = collections.firstIndex(where: { $0.name == .default }) else { return }
            collections[index] = ReplicatedCollection(keyspace: collections[index].keyspace, name: .default, configuration: newValue)
        }
    }
}
