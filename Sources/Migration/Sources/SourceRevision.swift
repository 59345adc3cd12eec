public import Documents

/// A revision whose body a source has.
public struct SourceRevision: Sendable {
    /// Its ID and its ancestors', newest first, itself included.
    public var history: [RevisionID]

    public var isLeaf: Bool
    public var isDeleted: Bool

    /// The document's own properties as the source has them, a JSON object without `_id`, `_rev` and `_attachments`.
    public var body: [UInt8]

    /// What its `_attachments` name. Each that has no inline bytes is read by ``MigrationSource/readAttachment(_:_:)``.
    public var attachments: AttachmentSet?

    public init(
        history: [RevisionID], isLeaf: Bool = true, isDeleted: Bool = false, body: [UInt8], attachments: AttachmentSet? = nil
    ) {
        self.history = history
        self.isLeaf = isLeaf
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}
