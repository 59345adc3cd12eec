/// A revision as a 4.x client may name it: by its version, or by its ID in a revision tree where its database was upgraded.
public enum RevisionName: Hashable, Sendable {
    case version(Version)
    case tree(RevisionID)

    /// The ID in a tree; `nil` for a version.
    public var tree: RevisionID? {
        if case .tree(let id) = self { id } else { nil }
    }

    public var isTree: Bool { tree != nil }

    /// - Returns: `nil` for a text that is neither.
    public init?(_ text: String) {
        if let version = Version(text) {
            self = .version(version)
        } else if let revision = RevisionID(text) {
            self = .tree(revision)
        } else {
            return nil
        }
    }
}

extension RevisionName: CustomStringConvertible {
    public var description: String {
        switch self {
        case .version(let version): version.description
        case .tree(let revision): revision.text
        }
    }
}
