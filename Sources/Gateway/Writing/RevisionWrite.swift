package import Documents
package import Storage

/// One revision to write into a keyspace.
package struct RevisionWrite: Sendable {
    /// The origin of the revision.
    package enum Kind: Sendable {
        /// From another database: its ID and ancestors, newest first, including itself.
        case replicated(history: [RevisionID], conflicts: Conflicts)

        /// From a 4.x client or server, with a version.
        case versioned(VersionedWrite)

        /// Created here on top of `parent`; Sync Gateway's rule determines its ID.
        case edit(parent: RevisionID?)
    }

    /// How a revision that does not descend from the winner is handled.
    package enum Conflicts: Hashable, Sendable {
        /// 1.x: it becomes a branch, unless the database refuses conflicts.
        case branch

        /// 2.x+: it is refused with 409, and the client resolves the conflict. Its revision IDs may be aliases of foreign ones.
        case refuse

        /// From a 2.x+ server, or the resolution of a conflict with one: it becomes a branch whatever the database's policy. Its revision IDs may
        /// be aliases of foreign ones.
        case accept

        /// The bridge's own, a copy of a revision or the end of a branch: it is refused with 409 unless it follows a leaf, and the document has the
        /// `beside` revision, if there is one.
        case follow(beside: RevisionID?)
    }

    /// The last revision of a document that was sent to its writer over the connection of the write. It may still be on its way.
    package enum Receipt: Sendable, Equatable {
        case unknown
        case nothing
        /// By its 2.x+ name.
        case revision(RevisionID)
    }

    package var id: String
    package var kind: Kind
    package var isDeleted: Bool

    /// The document's own properties, a JSON object.
    package var body: [UInt8]

    /// The revision's `_attachments`: stubs, and entries whose bytes are stored or in `attachmentBytes`.
    package var attachments: AttachmentSet?

    /// Bytes of attachments that were sent with the revision, small enough for its transaction.
    package var attachmentBytes: [AttachmentDigest: [UInt8]]

    /// Names of stubs whose digests were unknown when the stubs were checked. They stand for the parent's attachment of that name, and not for
    /// bytes that another client stores before the revision is written.
    package var stubsByName: Set<String> = []

    /// Whether an attachment without bytes stays a stub, because its source has no bytes either.
    package var keepsMissingAttachments = false

    /// A known version of the document, for a revision with a tree ID: the version of this revision, or of one that it replaces.
    package var version: VersionRecord?

    /// What the writer is receiving of the document at the same time.
    package var received = Receipt.unknown

    /// When the document expires, as set by the writer.
    package var expiry: DocumentExpiry?

    package init(
        id: String, kind: Kind, isDeleted: Bool, body: [UInt8], attachments: AttachmentSet? = nil,
        attachmentBytes: [AttachmentDigest: [UInt8]] = [:], expiry: DocumentExpiry? = nil
    ) {
        self.id = id
        self.kind = kind
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
        self.attachmentBytes = attachmentBytes
        self.expiry = expiry
    }
}

/// The result of writing a revision.
package struct WriteOutcome: Sendable, Equatable {
    package let revision: RevisionID

    /// False if the revision was stored already.
    package let isNew: Bool

    /// When the document expires by this revision.
    var expiry: DocumentExpiry?

    /// Whether the document has several live leaves.
    var isConflicted = false

    /// Whether the write changed grants of the document's sync function.
    var changesAccess = false

    package init(revision: RevisionID, isNew: Bool) {
        self.init(revision: revision, isNew: isNew, expiry: nil)
    }

    init(revision: RevisionID, isNew: Bool, expiry: DocumentExpiry?, isConflicted: Bool = false, changesAccess: Bool = false) {
        self.revision = revision
        self.isNew = isNew
        self.expiry = expiry
        self.isConflicted = isConflicted
        self.changesAccess = changesAccess
    }
}
