public import Documents
public import Storage

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

/// What a store of ours knows of a document beside its revisions: what 4.x clients have to find in the next store as in this one.
public struct DocumentOrigin: Sendable, Equatable {
    /// When what has won was written, in milliseconds since 1970. Versions have this time, by which clients decide whose edit is the newer one.
    public var written: Int64

    /// The last version under which 4.x clients know it.
    public var version: VersionRecord?

    /// What their databases remember of the time before they were upgraded, by the names of their copies.
    public var legacy: [String: RevisionID]

    /// Whether apps may have it in their default collection: a route placed it in the collection where it was, or it was moved there.
    public var wasInDefault: Bool

    public init(written: Int64, version: VersionRecord? = nil, legacy: [String: RevisionID] = [:], wasInDefault: Bool = false) {
        self.written = written
        self.version = version
        self.legacy = legacy
        self.wasInDefault = wasInDefault
    }
}

/// The bytes of an attachment that is small enough to be written in the transaction of the documents that name it.
public struct ImportedAttachment: Sendable {
    /// The SHA-1 of the bytes.
    public let digest: AttachmentDigest

    /// The digest by which documents name it, where that is another one.
    public let alias: AttachmentDigest?
    public let bytes: [UInt8]

    public init(digest: AttachmentDigest, alias: AttachmentDigest?, bytes: [UInt8]) {
        self.digest = digest
        self.alias = alias
        self.bytes = bytes
    }
}
