/// A collection as the store knows it.
public struct CollectionRecord: Hashable, Sendable {
    public let key: CollectionKey
    public let scope: String
    public let name: String

    /// Whether its documents are left out of the unified keyspace.
    public let isHidden: Bool

    /// While a change of `isHidden` is still being carried out on its documents: the last one that was looked at, 0 for none yet.
    public let pending: DocumentKey?

    /// The JavaScript by which its documents are judged, as it was said last: empty for the default function, `nil` where none was ever said for this
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

/// The store's own name for a collection.
public struct CollectionKey: Hashable, Comparable, Sendable {
    public let value: Int64

    public init(_ value: Int64) {
        self.value = value
    }

    /// `_default._default`, which every store has.
    public static let `default` = CollectionKey(1)

    public static func < (a: CollectionKey, b: CollectionKey) -> Bool { a.value < b.value }
}
