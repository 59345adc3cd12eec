public import Documents

/// A document as a client holds it.
public struct PeerDocument: Sendable, Equatable {
    public var revision: RevisionID
    public var isDeleted: Bool

    /// The document's own properties.
    public var body: JSONValue

    /// SHA-1 digests of the attachments' bytes, by name, computed from the bytes that arrived.
    public var attachments: [ExactString: AttachmentDigest]

    public init(revision: RevisionID, isDeleted: Bool, body: JSONValue, attachments: [ExactString: AttachmentDigest] = [:]) {
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}
