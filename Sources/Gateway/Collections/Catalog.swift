import Coordination
package import Storage

/// A store's collections, each with its sync function. Feeds, lists, access checks and writes all use this catalog.
struct Catalog: Sendable {
    let collections: CollectionTable
    let syncFunctions: SyncFunctionTable

    /// - Parameter owner: the database's name. Functions of two databases never share a context.
    init(_ records: [CollectionRecord], owner: String) {
        collections = CollectionTable(records)
        syncFunctions = SyncFunctionTable(collections, owner: owner)
    }
}

/// Caches the catalog that was read last, with the store's version of it.
///
/// Another process may add a collection at any time, so each read and each write compares the version first.
final class CatalogCache: Sendable {
    private struct Entry {
        var version: Int64?
        var catalog: Catalog
    }

    private let owner: String

    /// Collections of a trial configuration. They are not in the store, or have another sync function there.
    private let trial: [CollectionConfiguration]
    private let entry: Lock<Entry>

    init(owner: String, trial: [CollectionConfiguration] = []) {
        self.owner = owner
        self.trial = trial
        entry = Lock(Entry(version: nil, catalog: Catalog([], owner: owner)))
    }

    /// The catalog that was read last.
    var current: Catalog { entry.withLock { $0.catalog } }

    /// Returns the catalog of a snapshot, and caches it.
    @discardableResult
    func refresh(from snapshot: any StoreSnapshot) throws -> Catalog {
        let version = try snapshot.collectionsVersion
        if let version, let known = entry.withLock({ $0.version == version ? $0.catalog : nil }) { return known }
        let catalog = Catalog(tried(try snapshot.collections()), owner: owner)
        entry.withLock { entry in
            // A reader of an older snapshot must not replace a newer catalog.
            guard version == nil || (entry.version ?? .min) < version ?? .min else { return }
            entry = Entry(version: version, catalog: catalog)
        }
        return catalog
    }

    /// The store's records with the trial configuration applied. A store never has negative keys.
    private func tried(_ records: [CollectionRecord]) -> [CollectionRecord] {
        var records = records
        for (index, collection) in trial.enumerated() {
            let (key, isHidden) = (CollectionKey(-1 - Int64(index)), collection.isHidden ?? false)
            let place = records.firstIndex { $0.collectionName == collection.name }
            let present = place.map { records[$0] }
            let record = CollectionRecord(
                key: present?.key ?? key, scope: collection.name.scope, name: collection.name.name,
                isHidden: present?.isHidden ?? isHidden, pending: present?.pending,
                syncFunction: collection.syncFunction ?? present?.syncFunction)
            if let place { records[place] = record } else { records.append(record) }
        }
        return records
    }
}

/// A store that refreshes the catalog at the start of each read and each write.
struct CatalogedStore: Store {
    let base: any Store
    let catalog: CatalogCache

    func write<Value: Sendable>(_ work: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
        let catalog = catalog
        return try await base.write { transaction in
            try catalog.refresh(from: transaction)
            return try work(transaction)
        }
    }

    func read<Value: Sendable>(
        as share: ReadPriority, _ work: @escaping @Sendable (any StoreSnapshot) throws -> Value
    ) async throws -> Value {
        let catalog = catalog
        return try await base.read(as: share) { snapshot in
            try catalog.refresh(from: snapshot)
            return try work(snapshot)
        }
    }

    func commits() -> CommitSubscription { base.commits() }
    func commits(for scope: FeedScope) -> CommitSubscription { base.commits(for: scope) }
    func close() async throws { try await base.close() }
}

/// The collections of a database, by name and by key.
struct CollectionTable: Sendable {
    private let byName: [CollectionName: CollectionRecord]
    private let byKey: [CollectionKey: CollectionRecord]

    init(_ records: [CollectionRecord]) {
        byName = Dictionary(records.map { ($0.collectionName, $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(records.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: CollectionName) -> CollectionRecord? { byName[name] }
    subscript(key: CollectionKey) -> CollectionRecord? { byKey[key] }

    var records: [CollectionRecord] { byKey.values.sorted { $0.key < $1.key } }
}

extension CollectionRecord {
    package var collectionName: CollectionName { CollectionName(scope: scope, name: name) }
}
