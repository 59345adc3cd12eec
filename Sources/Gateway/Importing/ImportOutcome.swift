public import Documents

/// What became of a document that was imported, or would.
public struct ImportOutcome: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// It, or a revision of it, was written.
        case written

        /// Every leaf was here already.
        case known

        /// Wanted by a route whose collection has another document under its ID: it was written to the default collection.
        case clash

        /// Not wanted by the ``ImportOptions``.
        case leftOut
    }

    public var kind: Kind

    /// Where it lives now, and what it is called there.
    public var collection: CollectionName
    public var id: String

    /// Whether a route wanted it, or it had a collection before.
    public var isMatched: Bool

    /// Whether the sync function of its collection refused it: it was written all the same, and is in no channel.
    public var isRefused: Bool

    public var isDeleted: Bool
    public var isConflicted: Bool

    /// Attachments of the winner.
    public var attachments: Int

    /// Bytes of the winner's body.
    public var bytes: Int

    /// Revisions that were left out because an attachment of theirs is missing, and what is missing. They are ancestors: a leaf that lacks
    /// an attachment fails the document.
    public var faults: [RevisionID: GatewayError] = [:]

    public static func == (a: ImportOutcome, b: ImportOutcome) -> Bool {
        a.kind == b.kind && a.collection == b.collection && a.id == b.id && a.isMatched == b.isMatched && a.isRefused == b.isRefused
            && a.isDeleted == b.isDeleted && a.isConflicted == b.isConflicted && a.attachments == b.attachments && a.bytes == b.bytes
            && a.faults.keys == b.faults.keys
    }
}

/// What of imported documents is wanted.
public struct ImportOptions: Sendable, Equatable {
    /// Whether documents of the default collection that no route wants are left out.
    public var collectionsOnly: Bool

    /// Whether documents whose winner is a tombstone are left out.
    public var excludesTombstones: Bool

    public init(collectionsOnly: Bool = false, excludesTombstones: Bool = false) {
        self.collectionsOnly = collectionsOnly
        self.excludesTombstones = excludesTombstones
    }
}
