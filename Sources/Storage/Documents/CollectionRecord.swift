/// A stored collection.
package struct CollectionRecord: Hashable, Sendable {
    package let key: CollectionKey
    package let scope: String
    package let name: String

    /// Whether the unified keyspace excludes its documents.
    package let isHidden: Bool

    /// The last document to which a change of `isHidden` was applied, 0 before the first; `nil` when no change is in progress.
    package let pending: DocumentKey?

    /// The collection's sync function (JavaScript) as last configured: empty for the default function, `nil` if none was ever configured for this
    /// collection.
    package let syncFunction: String?

    package init(
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
package struct CollectionKey: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }

    /// `_default._default`, which every store has.
    package static let `default` = CollectionKey(1)

    package static func < (a: CollectionKey, b: CollectionKey) -> Bool { a.value < b.value }
}
