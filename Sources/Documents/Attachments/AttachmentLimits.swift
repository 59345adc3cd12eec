/// How much `_attachments` may hold.
public struct AttachmentLimits: Hashable, Sendable {
    /// The most attachments of one document.
    public var maximumCount: Int

    /// The longest name in bytes of UTF-8.
    public var maximumNameLength: Int

    public init(maximumCount: Int = 10_000, maximumNameLength: Int = 4096) {
        self.maximumCount = maximumCount
        self.maximumNameLength = maximumNameLength
    }
}
