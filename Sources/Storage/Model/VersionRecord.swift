public import Documents

/// The last version under which 4.x clients know a document.
public struct VersionRecord: Hashable, Sendable {
    /// The revision that it is of.
    public let revision: RevisionID

    /// It takes in every version by which the document was known before.
    public let vector: VersionVector

    public init(revision: RevisionID, vector: VersionVector) {
        self.revision = revision
        self.vector = vector
    }
}
