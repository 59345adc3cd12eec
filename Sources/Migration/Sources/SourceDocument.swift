package import Documents
package import Gateway

/// A document with everything that its source has of it.
package struct SourceDocument: Sendable {
    package var id: String

    /// Where the source has it. What is in the default collection is placed by the routes; what has a collection stays in it.
    package var collection: CollectionName

    /// All leaves, and the ancestors whose bodies are still there; an ancestor before its descendants. At least one.
    package var revisions: [SourceRevision]

    /// Its place in the source's own changes feed, where there is one, as the source writes it.
    package var sequence: String?

    /// When it expires, in seconds since 1970.
    package var expiry: Int64?

    /// What else is known of it, where the source is a store of ours.
    package var origin: DocumentOrigin?

    /// Which part of it this is, where all of its leaves are too much to come at once; `nil` where this is all of it.
    package var part: SourcePart?

    package init(
        id: String, collection: CollectionName = .default, revisions: [SourceRevision], sequence: String? = nil, expiry: Int64? = nil
    ) {
        self.id = id
        self.collection = collection
        self.revisions = revisions
        self.sequence = sequence
        self.expiry = expiry
    }
}

/// A revision whose body a source has.
package struct SourceRevision: Sendable {
    /// Its ID and its ancestors', newest first, itself included.
    package var history: [RevisionID]

    package var isLeaf: Bool
    package var isDeleted: Bool

    /// The document's own properties as the source has them, a JSON object without `_id`, `_rev` and `_attachments`.
    package var body: [UInt8]

    /// What its `_attachments` name. Each that has no inline bytes is read by ``MigrationSource/readAttachment(_:_:)``.
    package var attachments: AttachmentSet?

    package init(
        history: [RevisionID], isLeaf: Bool = true, isDeleted: Bool = false, body: [UInt8], attachments: AttachmentSet? = nil
    ) {
        self.history = history
        self.isLeaf = isLeaf
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }
}

/// An attachment, by the place where a document names it, and by its digest.
package struct SourceAttachment: Sendable, Hashable {
    package var collection: CollectionName
    package var document: String
    package var revision: RevisionID
    package var name: String

    /// As the source names it; `nil` if the source does not.
    package var digest: AttachmentDigest?

    package init(collection: CollectionName, document: String, revision: RevisionID, name: String, digest: AttachmentDigest?) {
        self.collection = collection
        self.document = document
        self.revision = revision
        self.name = name
        self.digest = digest
    }
}

/// One of several parts in which a source gives a document, because all of its leaves are too much for memory.
package struct SourcePart: Sendable, Equatable {
    /// What all parts are together.
    package struct Whole: Sendable, Equatable {
        package var isDeleted: Bool
        package var isConflicted: Bool

        package init(isDeleted: Bool, isConflicted: Bool) {
            self.isDeleted = isDeleted
            self.isConflicted = isConflicted
        }
    }

    /// Where it stands in the source: `byte 1804137`.
    package var place: String

    /// What the first part says of all; `nil` in the others, which are not counted as documents.
    package var whole: Whole?

    package init(place: String, whole: Whole? = nil) {
        self.place = place
        self.whole = whole
    }
}

extension SourceDocument {
    /// Whether an earlier part of it has come.
    var isContinued: Bool { part.map { $0.whole == nil } ?? false }
}

/// Where the first parts of documents are: the others belong there, whatever their own bodies say to the routes.
struct PartDestinations<Place> {
    private var places: [String: Place] = [:]

    /// - Returns: where the document is of which this is a later part; `place` for all else.
    @discardableResult
    mutating func settle(_ document: SourceDocument, _ place: Place) -> Place {
        guard let part = document.part else { return place }
        let key = "\(document.collection)\u{0}\(document.id)"
        if part.whole == nil { return places[key] ?? place }
        places[key] = place
        return place
    }
}
