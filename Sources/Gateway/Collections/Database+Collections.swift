import Logging
package import Storage

extension Database {
    /// The store's collections, in the order of their keys.
    package var collectionRecords: [CollectionRecord] { collections.records }

    /// The store's key of a collection; `nil` if it has no collection of this name.
    package func collectionKey(_ name: CollectionName) -> CollectionKey? { collections[name]?.key }

    /// The JavaScript of a collection's sync function: its own, or else the default collection's; `nil` for the default function.
    package func syncFunction(of name: CollectionName) -> String? {
        let source = collections[name]?.syncFunction ?? collections[CollectionName.default]?.syncFunction
        return source?.isEmpty == false ? source : nil
    }

    /// Removes a collection's own sync function. The default collection's function applies to its documents from then on.
    package func forgetSyncFunction(of name: CollectionName) async throws {
        guard let key = collections[name]?.key else { return }
        try await store.write { try $0.forgetSyncFunction(of: key) }
        try await readCollections()
        try await compareSyncFunctions()
    }

    /// Identifies the routes, so that an interrupted run resumes only under the same routes.
    package var routesFingerprint: String {
        configuration.routes.map { "\($0.collection) \($0.condition) \($0.stripsPrefix)" }.joined(separator: "\n")
    }

    /// Collections in the store that the configuration does not name. They are served with the store's settings.
    package func undescribedCollections() async throws -> [CollectionOverview] {
        let described = Set(configuration.collections.map(\.name)).union([.default])
        return try await store.read { snapshot in
            try snapshot.collections().filter { !described.contains($0.collectionName) }.map {
                CollectionOverview(
                    name: $0.collectionName, isHidden: $0.isHidden, counts: try snapshot.counts(.collection($0.key)))
            }
        }
    }

    /// Collections in the store that the configuration of the last serving process did not name; empty if the store was never served.
    package func unservedCollections() async throws -> [CollectionName] {
        try await store.read { snapshot in
            guard let rules = try ServedConfiguration.stored(in: snapshot) else { return [] }
            return try snapshot.collections().map(\.collectionName).filter { $0 != .default && !rules.described.contains($0) }
        }
    }

    /// Writes the configuration to the store, and applies its changes of visibility for legacy clients to the documents before the first request.
    func apply() async throws {
        let configuration = configuration
        try await store.write { transaction in
            for collection in configuration.collections { try transaction.put(collection, showing: true) }
        }
        try await readCollections()
        try await warnOfUndescribedCollections()
        try await resyncUnserved()
        try await store.write { try ServedConfiguration(configuration).persist(in: $0) }
        try await compareSyncFunctions()
        try await applyHiddenCollections()
    }

    /// Logs the collections in the store that the configuration does not name.
    package func warnOfUndescribedCollections() async throws {
        for collection in try await undescribedCollections() {
            logger.warning(
                """
                the configuration does not name the collection \(collection.name) of the store; it is still served, with its last sync function: \
                name it under `collections`
                """, metadata: ["documents": "\(collection.counts.live + collection.counts.tombstones)"])
        }
    }

    /// Adds the configuration's collections to the store. The visibility of existing collections stays unchanged.
    func addCollections() async throws {
        let collections = configuration.collections
        try await store.write { transaction in
            for collection in collections { try transaction.put(collection, showing: false) }
        }
        try await readCollections()
        try await recordSyncFunctions()
    }
}

extension StoreTransaction {
    /// - Parameter showing: whether an existing collection's visibility changes to the configured one.
    fileprivate func put(_ collection: CollectionConfiguration, showing: Bool) throws {
        let (scope, name) = (collection.name.scope, collection.name.name)
        let isKnown = try !showing && collections().contains { $0.collectionName == collection.name }
        _ = try putCollection(
            scope: scope, name: name, isHidden: isKnown ? nil : collection.isHidden, syncFunction: collection.syncFunction)
    }
}
