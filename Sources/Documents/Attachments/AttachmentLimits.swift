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

    /// - Throws: ``DocumentError`` `tooLarge`.
    public func check(count: Int) throws(DocumentError) {
        guard count <= maximumCount else {
            throw DocumentError(.tooLarge, "Invalid _attachments: more than \(maximumCount) attachments")
        }
    }

    /// - Throws: ``DocumentError`` `badAttachment`.
    public func check(name: String) throws(DocumentError) {
        guard !name.isEmpty, name.utf8.count <= maximumNameLength else {
            throw DocumentError(.badAttachment, "Invalid _attachments: a name must have 1 to \(maximumNameLength) bytes")
        }
    }
}
