public import Documents

/// A revision that one side has refused, and that is to be tried again.
public struct RefusedRevision: Sendable, Hashable {
    public let id: String
    public let revision: RevisionID

    public init(id: String, revision: RevisionID) {
        self.id = id
        self.revision = revision
    }
}
