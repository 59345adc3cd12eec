public import Storage

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
    public var collectionName: CollectionName { CollectionName(scope: scope, name: name) }
}
