public import Documents
public import Gateway

/// An attachment, by the place where a document names it, and by its digest.
public struct SourceAttachment: Sendable, Hashable {
    public var collection: CollectionName
    public var document: String
    public var revision: RevisionID
    public var name: String

    /// As the source names it; `nil` if the source does not.
    public var digest: AttachmentDigest?

    public init(collection: CollectionName, document: String, revision: RevisionID, name: String, digest: AttachmentDigest?) {
        self.collection = collection
        self.document = document
        self.revision = revision
        self.name = name
        self.digest = digest
    }
}
