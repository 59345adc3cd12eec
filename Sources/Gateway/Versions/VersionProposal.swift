public import Documents

/// A revision that a 4.x client wants to push, and the one it builds on (`proposeChanges`).
public struct VersionProposal: Sendable, Equatable {
    public enum Revision: Sendable, Equatable {
        /// Its vector, or its version alone.
        case version(VersionVector)
        /// Of a database that has revision trees, or had them when the revision was made.
        case tree(RevisionID)

        func isMade(by source: SourceID?) -> Bool {
            if case .version(let vector) = self { vector.current.source == source } else { false }
        }
    }

    public let id: String
    public let revision: Revision
    /// What it builds on. A whole vector where the client made the edit while its last push of the document was under way.
    public let parent: Revision?

    /// Whether the client knows a version of the document that is here.
    var knowsVersion: Bool {
        if case .version? = parent { true } else { false }
    }

    public init(id: String, revision: Revision, parent: Revision?) {
        self.id = id
        self.revision = revision
        self.parent = parent
    }
}
