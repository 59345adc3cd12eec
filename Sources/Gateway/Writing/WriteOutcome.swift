public import Documents

/// What became of a revision that was written.
public struct WriteOutcome: Sendable, Equatable {
    public let revision: RevisionID

    /// False if the revision was here already.
    public let isNew: Bool

    public init(revision: RevisionID, isNew: Bool) {
        self.revision = revision
        self.isNew = isNew
    }
}
