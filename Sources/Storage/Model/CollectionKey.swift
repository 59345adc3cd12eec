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
