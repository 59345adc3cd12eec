package import Documents
package import Gateway

/// A document with all content that its source has.
package struct SourceDocument: Sendable {
    package var id: String

    /// Its collection in the source. Routes place documents of the default collection; others stay in their collection.
    package var collection: CollectionName

    /// All leaves, and the ancestors with bodies; ancestors precede their descendants. Never empty.
    package var revisions: [SourceRevision]

    /// Its sequence in the source's changes feed, if any, in the source's format.
    package var sequence: String?

    /// Expiry in seconds since 1970.
    package var expiry: Int64?

    /// Further metadata if the source is a Dualgauge store.
    package var origin: DocumentOrigin?

    /// The part that this is of a document whose leaves are too large to be read at once; `nil` for a complete document.
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

/// A revision with its body.
package struct SourceRevision: Sendable {
    /// The IDs of the revision and its ancestors, newest first.
    package var history: [RevisionID]

    package var isLeaf: Bool
    package var isDeleted: Bool

    /// The document's properties as the source stores them: a JSON object without `_id`, `_rev` and `_attachments`.
    package var body: [UInt8]

    /// The entries of its `_attachments`. Entries without inline bytes are read with ``MigrationSource/readAttachment(_:_:)``.
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

/// Identifies an attachment by its document, revision, name and digest.
package struct SourceAttachment: Sendable, Hashable {
    package var collection: CollectionName
    package var document: String
    package var revision: RevisionID
    package var name: String

    /// The digest in the source; `nil` if the source has none.
    package var digest: AttachmentDigest?

    package init(collection: CollectionName, document: String, revision: RevisionID, name: String, digest: AttachmentDigest?) {
        self.collection = collection
        self.document = document
        self.revision = revision
        self.name = name
        self.digest = digest
    }
}

/// One of several parts of a document whose leaves are too large for memory.
package struct SourcePart: Sendable, Equatable {
    /// Properties of the whole document.
    package struct Whole: Sendable, Equatable {
        package var isDeleted: Bool
        package var isConflicted: Bool

        package init(isDeleted: Bool, isConflicted: Bool) {
            self.isDeleted = isDeleted
            self.isConflicted = isConflicted
        }
    }

    /// Its position in the source: `byte 1804137`.
    package var place: String

    /// Set on the first part only; later parts do not count as documents.
    package var whole: Whole?

    package init(place: String, whole: Whole? = nil) {
        self.place = place
        self.whole = whole
    }
}

extension SourceDocument {
    /// Whether this is a later part of a document.
    var isContinued: Bool { part.map { $0.whole == nil } ?? false }
}

/// Destinations of first parts. Later parts have the same destination, even if routes would place their bodies elsewhere.
struct PartDestinations<Place> {
    private var places: [String: Place] = [:]

    /// - Returns: The destination of the first part if this is a later part; otherwise `place`.
    @discardableResult
    mutating func resolve(_ document: SourceDocument, _ place: Place) -> Place {
        guard let part = document.part else { return place }
        let key = "\(document.collection)\u{0}\(document.id)"
        if part.whole == nil { return places[key] ?? place }
        places[key] = place
        return place
    }
}
