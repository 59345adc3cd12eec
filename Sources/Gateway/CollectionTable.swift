import Storage

/// The collections of a database, by name and by key.
struct CollectionTable: Sendable {
    private let byName: [CollectionName: CollectionRecord]
    private let byKey: [CollectionKey: CollectionRecord]

    init(_ records: [CollectionRecord]) {
        byName = Dictionary(records.map { (CollectionName(scope: $0.scope, name: $0.name), $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(records.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds what is missing in the store. A collection that the configuration no longer names keeps its documents, but
    /// is not served.
    ///
    /// - Parameter changesVisibility: Whether collections that are there are hidden, or shown again, as the configuration has it.
    static func open(
        _ configured: [CollectionConfiguration], in store: any Store, changesVisibility: Bool
    ) async throws -> CollectionTable {
        try await store.write { transaction in
            let present = CollectionTable(try transaction.collections())
            let names = configured.filter { $0.name != .default } + [CollectionConfiguration(name: .default)]
            return CollectionTable(
                try names.map { collection in
                    if !changesVisibility, let record = present[collection.name] { return record }
                    return try transaction.putCollection(
                        scope: collection.name.scope, name: collection.name.name, isHidden: collection.isHidden)
                })
        }
    }

    subscript(name: CollectionName) -> CollectionRecord? { byName[name] }
    subscript(key: CollectionKey) -> CollectionRecord? { byKey[key] }

    var records: [CollectionRecord] { byKey.values.sorted { $0.key < $1.key } }
}
