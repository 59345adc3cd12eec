public import Documents
public import Storage

extension Keyspace {
    /// Takes an attachment's bytes in parts, for a revision that will name it. Nobody sees it before `finish`.
    public func receiveAttachment() -> AttachmentUpload {
        AttachmentUpload(store: store, limit: database.configuration.limits.attachmentSize)
    }
}
