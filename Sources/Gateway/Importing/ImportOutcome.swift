package import Documents

/// The actual or previewed result of a document's import.
package struct ImportOutcome: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// At least one revision was written.
        case written

        /// Every leaf exists already.
        case known

        /// The target collection of a route has another document with its ID: it was written to the default collection.
        case clash

        /// Excluded by the ``ImportOptions``.
        case leftOut
    }

    package var kind: Kind

    /// The document's collection and its ID there.
    package var collection: CollectionName
    package var id: String

    /// Whether a route matches the document, or its source had a collection.
    package var isMatched: Bool

    /// Whether the collection's sync function refuses it. It is written anyway, without channels.
    package var isRefused: Bool

    package var isDeleted: Bool
    package var isConflicted: Bool

    /// The number of the winner's attachments.
    package var attachments: Int

    /// The size of the winner's body, in bytes.
    package var bytes: Int

    /// Revisions that were left out because an attachment is missing, and the error. They are ancestors: a leaf without its attachment fails the
    /// document.
    package var faults: [RevisionID: GatewayError] = [:]

    package static func == (a: ImportOutcome, b: ImportOutcome) -> Bool {
        a.kind == b.kind && a.collection == b.collection && a.id == b.id && a.isMatched == b.isMatched && a.isRefused == b.isRefused
            && a.isDeleted == b.isDeleted && a.isConflicted == b.isConflicted && a.attachments == b.attachments && a.bytes == b.bytes
            && a.faults.keys == b.faults.keys
    }
}

/// Selects the documents to import.
package struct ImportOptions: Sendable, Equatable {
    /// Whether to leave out documents of the default collection that match no route.
    package var collectionsOnly: Bool

    /// Whether to leave out documents whose winner is a tombstone.
    package var excludesTombstones: Bool

    package init(collectionsOnly: Bool = false, excludesTombstones: Bool = false) {
        self.collectionsOnly = collectionsOnly
        self.excludesTombstones = excludesTombstones
    }
}
