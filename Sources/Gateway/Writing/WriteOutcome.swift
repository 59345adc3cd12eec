public import Documents

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
