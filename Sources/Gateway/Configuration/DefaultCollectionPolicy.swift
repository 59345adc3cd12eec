/// What a client gets that asks for `_default._default` by name.
public enum DefaultCollectionPolicy: String, Sendable, CaseIterable {
    /// Always the unified keyspace.
    case unified
    /// Always the documents that live in the default collection.
    case remainder
    /// The unified keyspace if it asks for nothing else, the remainder beside named collections.
    case auto
}
