public import Documents

/// A revision that a 2.x+ client wants to push, and the one it builds on (`proposeChanges`).
public struct Proposal: Sendable {
    public let id: String
    public let revision: RevisionID
    public let parent: RevisionID?

    public init(id: String, revision: RevisionID, parent: RevisionID?) {
        self.id = id
        self.revision = revision
        self.parent = parent
    }
}
