public import Documents
import Storage

/// A revision that a 4.x client or server made.
public struct VersionedWrite: Sendable {
    public let history: VersionHistory

    /// Where the client has it; `nil` if it has not told who it is.
    public let copy: ClientDatabase?

    /// The revision and its ancestors in the tree of who sends it, the newest first; empty if it was not told.
    public var tree: [RevisionID] = []

    /// What clients of another bridge remember of the document from before they were upgraded, by their copies' names there.
    public var remembered: [String: RevisionID] = [:]

    /// Whether a server sends it: it may give a version to what is here already by the ID in the tree, which then gets no new revision.
    public var isNaming = false

    public init(history: VersionHistory, copy: ClientDatabase?) {
        self.history = history
        self.copy = copy
    }
}

/// A client's side of a collection. A database that goes from its default collection to named ones has documents twice for a while, and each copy
/// remembers something else of the time before the upgrade to versions.
public struct ClientDatabase: Sendable, Hashable {
    /// By which the store knows it: the UUID of the client's database, with the collection behind it if that is not the default one.
    let name: String

    /// - Parameter client: the UUID of the client's database.
    public init(client: String, keyspace: Keyspace) {
        name =
            switch keyspace.scope {
            case .unified, .collection(.default): client
            case .collection(let key):
                keyspace.database.collections[key].map { "\(client)/\($0.scope).\($0.name)" } ?? "\(client)/\(key.value)"
            }
    }
}

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

/// Whether a revision that a 4.x client proposes is wanted.
public enum VersionAnswer: Sendable, Equatable {
    /// Send it.
    case wanted
    /// It is here already, or what is here takes it in.
    case known
    /// What is here is another one: its version, or its ID in the tree for a database that has one.
    case conflict(current: RevisionName)
}
