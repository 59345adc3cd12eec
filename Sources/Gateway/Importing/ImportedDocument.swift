/// A document with everything that was read of it elsewhere, to be written as it is.
public struct ImportedDocument: Sendable {
    public var id: String

    /// Where it was. What is in the default collection is placed by the routes; what has a collection stays in it.
    public var collection: CollectionName

    /// All leaves, and the ancestors whose bodies are known; an ancestor before its descendants. At least one, each `replicated`.
    public var revisions: [RevisionWrite]

    /// What else is known of it, where it comes from a store of ours.
    public var origin: DocumentOrigin?

    public init(id: String, collection: CollectionName = .default, revisions: [RevisionWrite]) {
        self.id = id
        self.collection = collection
        self.revisions = revisions
    }
}
