package import Documents
import Storage

/// A revision of a 4.x client or server, with its version.
package struct VersionedWrite: Sendable {
    package let history: VersionHistory

    /// The client's database; `nil` if the client has not identified itself.
    package let copy: ClientDatabase?

    /// The revision and its ancestors in the sender's tree, the newest first; empty if they were not sent.
    package var tree: [RevisionID] = []

    /// The tree revisions that another bridge's clients have from before their upgrade, by the names of their databases there.
    package var remembered: [String: RevisionID] = [:]

    /// Whether a server sends the revision. It may give a version to a revision that exists here under its tree ID; no new revision is then
    /// written.
    package var isNaming = false

    package init(history: VersionHistory, copy: ClientDatabase?) {
        self.history = history
        self.copy = copy
    }
}

/// A client's copy of a collection.
///
/// A database that migrates from its default collection to named ones has documents twice for a while. Each copy has its own tree revision from
/// before the upgrade to versions.
package struct ClientDatabase: Sendable, Hashable {
    /// Its name in the store: the UUID of the client's database, followed by the collection unless it is the default one.
    let name: String

    /// - Parameter client: the UUID of the client's database.
    package init(client: String, keyspace: Keyspace) {
        name =
            switch keyspace.scope {
            case .unified, .collection(.default): client
            case .collection(let key):
                keyspace.database.collections[key].map { "\(client)/\($0.scope).\($0.name)" } ?? "\(client)/\(key.value)"
            }
    }
}

/// A revision that a 4.x client wants to push, and its parent (`proposeChanges`).
package struct VersionProposal: Sendable, Equatable {
    package enum Revision: Sendable, Equatable {
        /// Its vector, or only its version.
        case version(VersionVector)
        /// The tree ID, from a database that has revision trees, or had them when the revision was created.
        case tree(RevisionID)

        func isMade(by source: SourceID?) -> Bool {
            if case .version(let vector) = self { vector.current.source == source } else { false }
        }
    }

    package let id: String
    package let revision: Revision
    /// The parent. A whole vector if the client made the edit during its last push of the document.
    package let parent: Revision?

    /// Whether the client's parent revision is a version.
    var knowsVersion: Bool {
        if case .version? = parent { true } else { false }
    }

    package init(id: String, revision: Revision, parent: Revision?) {
        self.id = id
        self.revision = revision
        self.parent = parent
    }
}

/// The reply to a 4.x client's proposal.
package enum VersionAnswer: Sendable, Equatable {
    /// The client has to send the revision.
    case wanted
    /// The revision is stored already, or the winner's version includes it.
    case known
    /// The winner conflicts: its version, or its tree ID for a database with revision trees.
    case conflict(current: RevisionName)
}
