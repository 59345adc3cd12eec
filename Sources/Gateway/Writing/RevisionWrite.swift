public import Documents
public import Storage

/// One revision that somebody wants to write into a keyspace.
public struct RevisionWrite: Sendable {
    /// How the revision came to be.
    public enum Kind: Sendable {
        /// Made elsewhere: its ID and ancestors, newest first, itself included.
        case replicated(history: [RevisionID], conflicts: Conflicts)

        /// Made elsewhere, by a client that knows versions.
        case versioned(VersionedWrite)

        /// Made here, on top of `parent`; its ID is computed by Sync Gateway's rule.
        case edit(parent: RevisionID?)
    }

    /// What the client expects of a revision that does not descend from the winner.
    public enum Conflicts: Hashable, Sendable {
        /// 1.x: it becomes a branch, unless the database refuses conflicts.
        case branch

        /// 2.x+: it is refused with 409, and the client resolves. Its revision IDs may be aliases of foreign ones.
        case refuse

        /// A 2.x+ server's, or the resolution of a conflict with it: it becomes a branch whatever the database's policy. Its revision IDs
        /// may be aliases of foreign ones.
        case accept

        /// The bridge's own, a copy of a revision or the end of a branch: it is refused with 409 unless it follows a leaf, and unless the document has the
        /// other revision, where one is named.
        case follow(beside: RevisionID?)
    }

    public var id: String
    public var kind: Kind
    public var isDeleted: Bool

    /// The document's own properties, a JSON object.
    public var body: [UInt8]

    /// The `_attachments` of the revision: stubs, and entries whose bytes have been stored or stand in `attachmentBytes`.
    public var attachments: AttachmentSet?

    /// Bytes of attachments that came with the revision and are small enough to be written in its transaction.
    public var attachmentBytes: [AttachmentDigest: [UInt8]]

    /// Names of stubs with digests that were unknown when the stubs were checked. They stand for the attachment of that name in the revision before, and
    /// not for bytes that somebody else stores until the revision is written.
    public var stubsByName: Set<String> = []

    /// Whether an attachment whose bytes are nowhere stays a stub, because its source does not have them either.
    public var keepsMissingAttachments = false

    /// A version that the document is known to have, where the revision is named by its ID in the tree: of this revision, or of one that it takes the
    /// place of.
    public var version: VersionRecord?

    /// When the document expires, as its writer wants it.
    public var expiry: DocumentExpiry?

    public init(
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

/// What became of a revision that was written.
public struct WriteOutcome: Sendable, Equatable {
    public let revision: RevisionID

    /// False if the revision was here already.
    public let isNew: Bool

    /// When the document expires by what the revision says.
    var expiry: DocumentExpiry?

    /// Whether several live leaves are left.
    var isConflicted = false

    /// Whether the document's sync function gave somebody something by it, or took something away.
    var changesAccess = false

    public init(revision: RevisionID, isNew: Bool) {
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
