package import Documents
package import Storage

/// A document of another server with all of its known revisions, to be written unchanged.
package struct ImportedDocument: Sendable {
    package var id: String

    /// The source collection. Routes place documents of the default collection; all others stay in their collection.
    package var collection: CollectionName

    /// All leaves, and the ancestors with known bodies, ancestors before their descendants. At least one; each is `replicated`.
    package var revisions: [RevisionWrite]

    /// Further data, if the source is a Dualgauge store.
    package var origin: DocumentOrigin?

    package init(id: String, collection: CollectionName = .default, revisions: [RevisionWrite]) {
        self.id = id
        self.collection = collection
        self.revisions = revisions
    }
}

/// The data of a Dualgauge store about a document beside its revisions. 4.x clients need it to be the same in the next store.
package struct DocumentOrigin: Sendable, Equatable {
    /// When the winner was written, in milliseconds since 1970. It is the time of versions, by which clients determine the newer edit.
    package var written: Int64

    /// The last version that 4.x clients received.
    package var version: VersionRecord?

    /// The revisions that upgraded client databases have from before their upgrade, by the names of those databases.
    package var legacy: [String: RevisionID]

    /// Whether apps may have the document in their default collection: a route placed it in its collection, or it was moved there.
    package var wasInDefault: Bool

    package init(written: Int64, version: VersionRecord? = nil, legacy: [String: RevisionID] = [:], wasInDefault: Bool = false) {
        self.written = written
        self.version = version
        self.legacy = legacy
        self.wasInDefault = wasInDefault
    }
}

/// The bytes of an attachment that is small enough for the transaction of the documents that reference it.
package struct ImportedAttachment: Sendable {
    /// The SHA-1 of the bytes.
    package let digest: AttachmentDigest

    /// The digest in the documents, if it is another one.
    package let alias: AttachmentDigest?
    package let bytes: [UInt8]

    package init(digest: AttachmentDigest, alias: AttachmentDigest?, bytes: [UInt8]) {
        self.digest = digest
        self.alias = alias
        self.bytes = bytes
    }
}
