/// A stored collection.
public struct CollectionRecord: Hashable, Sendable {
    public let key: CollectionKey
    public let scope: String
    public let name: String

    /// Whether the unified keyspace excludes its documents.
    public let isHidden: Bool

    /// The last document to which a change of `isHidden` was applied, 0 before the first; `nil` when no change is in progress.
    public let pending: DocumentKey?

    /// The collection's sync function (JavaScript) as last configured: empty for the default function, `nil` if none was ever configured for this
    /// collection.
    public let syncFunction: String?

    public init(
        key: CollectionKey, scope: String, name: String, isHidden: Bool, pending: DocumentKey? = nil, syncFunction: String? = nil
    ) {
        self.key = key
        self.scope = scope
        self.name = name
        self.isHidden = isHidden
        self.pending = pending
        self.syncFunction = syncFunction
    }
}

/// The store's internal key of a collection.
public struct CollectionKey: Hashable, Comparable, Sendable {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    /// `_default._default`, which every store has.
    public static let `default` = CollectionKey(1)

    public static func < (a: CollectionKey, b: CollectionKey) -> Bool { a.value < b.value }
}
