public import Documents

/// What became of one revision of a document.
public struct DocumentTransfer: Sendable, Hashable {
    public let id: String
    public let revision: RevisionID
    public let isDeleted: Bool

    /// Why it was not replicated; `nil` if it was. It is not tried again by itself, unless the error is transient.
    public let error: ReplicationError?

    public init(id: String, revision: RevisionID, isDeleted: Bool = false, error: ReplicationError? = nil) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.error = error
    }
}
