/// Two branches of a document, as a conflict resolver sees them.
public struct ConflictInput: Hashable, Sendable {
    /// The document's ID.
    public let documentID: String
    /// The JSON of the revision on this side; nil if it is a tombstone.
    public let localDocument: [UInt8]?
    /// The JSON of the revision on the other side; nil if it is a tombstone.
    public let remoteDocument: [UInt8]?

    /// The ID of the revision on this side; empty if it has none.
    public let localRevision: String
    /// The ID of the revision on the other side; empty if it has none.
    public let remoteRevision: String

    /// A conflict of two revisions, each as JSON.
    public init(
        documentID: String, localDocument: [UInt8]?, remoteDocument: [UInt8]?, localRevision: String = "", remoteRevision: String = ""
    ) {
        self.documentID = documentID
        self.localDocument = localDocument
        self.remoteDocument = remoteDocument
        self.localRevision = localRevision
        self.remoteRevision = remoteRevision
    }
}
