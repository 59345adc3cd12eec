import Logging
public import Storage

extension Database {
    /// The collections that the store has, in the order of their keys.
    public var collectionRecords: [CollectionRecord] { collections.records }

    /// The store's own name for a collection; `nil` if it has none of this name.
    public func collectionKey(_ name: CollectionName) -> CollectionKey? { collections[name]?.key }

    /// The JavaScript by which the documents of a collection are judged, as was said of it or of the default collection; `nil` for the default function.
    public func syncFunction(of name: CollectionName) -> String? {
        let source = collections[name]?.syncFunction ?? collections[CollectionName.default]?.syncFunction
        return source?.isEmpty == false ? source : nil
    }

    /// Takes back what was said of a collection's function: its documents are judged by that of the default collection from now on.
    public func forgetSyncFunction(of name: CollectionName) async throws {
        guard let key = collections[name]?.key else { return }
        try await store.write { try $0.forgetSyncFunction(of: key) }
        try await readCollections()
        try await compareSyncFunctions()
    }

    /// Names the routes, so that a run is gone on with only under the same ones.
    public var routesFingerprint: String {
        configuration.routes.map { "\($0.collection) \($0.condition) \($0.stripsPrefix)" }.joined(separator: "\n")
    }

    /// Collections that the store has and the configuration does not name. They are served as the store knows them.
    public func undescribedCollections() async throws -> [CollectionOverview] {
        let described = Set(configuration.collections.map(\.name)).union([.default])
        return try await store.read { snapshot in
            try snapshot.collections().filter { !described.contains($0.collectionName) }.map {
                CollectionOverview(
                    name: $0.collectionName, isHidden: $0.isHidden, counts: try snapshot.counts(.collection($0.key)))
            }
        }
    }

    /// Collections that the store has, and that the configuration did not name with which it was served last; none if it was never served.
    public func unservedCollections() async throws -> [CollectionName] {
        try await store.read { snapshot in
            guard let rules = try ServedConfiguration.stored(in: snapshot) else { return [] }
            return try snapshot.collections().map(\.collectionName).filter { $0 != .default && !rules.described.contains($0) }
        }
    }

    /// Makes the configuration the store's, and carries out on the documents what it changes for legacy clients before anybody is served.
    func apply() async throws {
        let configuration = configuration
        try await store.write { transaction in
            for collection in configuration.collections { try transaction.put(collection, showing: true) }
        }
        try await readCollections()
        try await warnOfUndescribedCollections()
        try await resyncUnserved()
        try await store.write { try ServedConfiguration(configuration).keep(in: $0) }
        try await compareSyncFunctions()
        try await applyHiddenCollections()
    }

    /// Names in the log the collections that the store has and the configuration does not name.
    public func warnOfUndescribedCollections() async throws {
        for collection in try await undescribedCollections() {
            logger.warning(
                """
                the configuration does not name the collection \(collection.name), which the store has; it is served as it was, with the sync function \
                that it had: name it under `collections`
                """, metadata: ["documents": "\(collection.counts.live + collection.counts.tombstones)"])
        }
    }

    /// Adds what the configuration says of collections, and leaves alone whether they are hidden.
    func addCollections() async throws {
        let collections = configuration.collections
        try await store.write { transaction in
            for collection in collections { try transaction.put(collection, showing: false) }
        }
        try await readCollections()
        try await noteSyncFunctions()
    }
}

extension StoreTransaction {
    /// - Parameter showing: whether a collection that is there is hidden, or shown again, as the configuration has it.
    fileprivate func put(_ collection: CollectionConfiguration, showing: Bool) throws {
        let (scope, name) = (collection.name.scope, collection.name.name)
        let isKnown = try !showing && collections().contains { $0.collectionName == collection.name }
        _ = try putCollection(
            scope: scope, name: name, isHidden: isKnown ? nil : collection.isHidden, syncFunction: collection.syncFunction)
    }
}
