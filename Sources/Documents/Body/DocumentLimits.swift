/// How large a document may be.
public struct DocumentLimits: Hashable, Sendable {
    /// The most bytes of a document's JSON, metadata included, but for the bytes of attachments that stand in it. Sync Gateway allows 20 MB.
    public var maximumSize: Int

    /// How many arrays and objects may be nested in it.
    public var maximumDepth: Int

    public init(maximumSize: Int = 20 * 1024 * 1024, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
    }
}
