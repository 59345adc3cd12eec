public import Documents
public import Storage

/// One revision of a document, as a client reads it.
public struct RevisionContent: Sendable {
    /// The document's ID in the keyspace.
    public let id: String
    public let revision: RevisionID
    public let isDeleted: Bool

    /// The revision and its ancestors, newest first.
    public let history: [RevisionID]
    public let body: StoredBody

    /// When the document expires.
    public let expiry: DocumentExpiry?

    /// The same without any property.
    public var withoutProperties: RevisionContent {
        RevisionContent(
            id: id, revision: revision, isDeleted: isDeleted, history: history, body: StoredBody(properties: Array("{}".utf8)),
            expiry: expiry)
    }

    public init(
        id: String, revision: RevisionID, isDeleted: Bool, history: [RevisionID], body: StoredBody, expiry: DocumentExpiry? = nil
    ) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.history = history
        self.body = body
        self.expiry = expiry
    }
}
