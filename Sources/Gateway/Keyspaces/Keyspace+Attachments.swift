public import Documents
import Storage

extension Keyspace {
    /// Takes an attachment's bytes in parts, for a revision that will name it. Nobody sees it before `finish`.
    ///
    /// - Parameter expected: the digest that the sender gave; an MD5 becomes another name of the attachment.
    public func receiveAttachment(expecting expected: AttachmentDigest? = nil) -> AttachmentUpload {
        AttachmentUpload(store: store, limit: database.configuration.limits.attachmentSize, expected: expected)
    }
}
