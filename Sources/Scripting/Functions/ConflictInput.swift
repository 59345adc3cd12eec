/// Two branches of a document, as a conflict resolver sees them.
public struct ConflictInput: Hashable, Sendable {
    /// The document's ID.
    public let documentID: String
    /// The JSON of the revision on this side; nil if it is a tombstone.
    public let localDocument: [UInt8]?
    /// The JSON of the revision on the other side; nil if it is a tombstone.
    public let remoteDocument: [UInt8]?

    /// A conflict of two revisions, each as JSON.
    public init(documentID: String, localDocument: [UInt8]?, remoteDocument: [UInt8]?) {
        self.documentID = documentID
        self.localDocument = localDocument
        self.remoteDocument = remoteDocument
    }
}
