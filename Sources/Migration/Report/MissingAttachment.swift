import Documents
import Gateway

/// An attachment that a document names and whose bytes are not there. The document is, and names it still.
public struct MissingAttachment: Codable, Sendable, Equatable {
    /// `scope.name`.
    public var collection: String

    /// The document's ID.
    public var id: String
    public var revision: String
    public var name: String

    /// `nil` if the document does not say it.
    public var digest: String?

    public init(collection: String, id: String, revision: String, name: String, digest: String?) {
        self.collection = collection
        self.id = id
        self.revision = revision
        self.name = name
        self.digest = digest
    }

    init(_ entry: AttachmentMetadata, of document: SourceDocument, _ revision: SourceRevision) {
        self.init(
            collection: document.collection.description, id: document.id, revision: revision.history.first?.text ?? "", name: entry.name,
            digest: entry.digest?.description)
    }
}

extension MissingAttachment {
    /// Every key is there; what is not known is null.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
        try values.encode(name, forKey: .name)
        try values.encode(digest, forKey: .digest)
    }
}
