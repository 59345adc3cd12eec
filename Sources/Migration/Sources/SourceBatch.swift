/// Documents that were read together.
public struct SourceBatch: Sendable {
    public var items: [SourceItem]

    /// The place after the last item.
    public var cursor: SourceCursor

    public init(items: [SourceItem], cursor: SourceCursor) {
        self.items = items
        self.cursor = cursor
    }
}
