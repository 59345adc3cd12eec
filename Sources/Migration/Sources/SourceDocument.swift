public import Gateway

/// A document with everything that its source has of it.
public struct SourceDocument: Sendable {
    public var id: String

    /// Where the source has it. What is in the default collection is placed by the routes; what has a collection stays in it.
    public var collection: CollectionName

    /// All leaves, and the ancestors whose bodies are still there; an ancestor before its descendants. At least one.
    public var revisions: [SourceRevision]

    /// Its place in the source's own changes feed, where there is one, as the source writes it.
    public var sequence: String?

    /// When it expires, in seconds since 1970.
    public var expiry: Int64?

    /// What else is known of it, where the source is a store of ours.
    public var origin: DocumentOrigin?

    /// Which part of it this is, where all of its leaves are too much to come at once; `nil` where this is all of it.
    public var part: SourcePart?

    public init(
        id: String, collection: CollectionName = .default, revisions: [SourceRevision], sequence: String? = nil, expiry: Int64? = nil
    ) {
        self.id = id
        self.collection = collection
        self.revisions = revisions
        self.sequence = sequence
        self.expiry = expiry
    }
}
