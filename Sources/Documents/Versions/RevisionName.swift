/// A revision as 4.x clients identify it: by its version, or by its revision tree ID in an upgraded database.
package enum RevisionName: Hashable, Sendable {
    case version(Version)
    case tree(RevisionID)

    /// The revision tree ID; `nil` for a version.
    package var tree: RevisionID? {
        if case .tree(let id) = self { id } else { nil }
    }

    package var isTree: Bool { tree != nil }

    /// - Returns: `nil` if the text is neither a version nor a revision ID.
    package init?(_ text: String) {
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
    package var description: String {
        switch self {
        case .version(let version): version.description
        case .tree(let revision): revision.text
        }
    }
}
