/// What of imported documents is wanted.
public struct ImportOptions: Sendable, Equatable {
    /// Whether documents of the default collection that no route wants are left out.
    public var collectionsOnly: Bool

    /// Whether documents whose winner is a tombstone are left out.
    public var excludesTombstones: Bool

    public init(collectionsOnly: Bool = false, excludesTombstones: Bool = false) {
        self.collectionsOnly = collectionsOnly
        self.excludesTombstones = excludesTombstones
    }
}
