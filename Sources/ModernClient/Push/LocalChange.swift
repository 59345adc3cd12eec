import Documents

/// A change here that the server is to get.
struct LocalChange: Sendable, Hashable {
    let sequence: Int64
    let id: String

    /// The revision to push, by the name that the server knows.
    let revision: RevisionID

    /// Its version, for a server that knows versions.
    var version: VersionVector?
    let isDeleted: Bool

    /// Bytes of the body, about.
    let size: Int

    /// The ancestors, the newest first, by the names that the server knows.
    var ancestors: [RevisionID] = []

    /// Whether the revision is a branch that has lost here, and is pushed because it follows the server's. What wins comes on top of it.
    var isLosing = false

    /// The revision that the server is thought to have.
    var parent: RevisionName?

    /// Whether the server is told that the revision follows ``parent``, which here is on another branch that was closed.
    var isGrafted = false

    /// Whether the server has the revision in another place than on top of its own, so that it cannot be told so.
    var isKnownElsewhere = false

    /// Whether it ends a branch that has lost of a document that is deleted here. The server may have that branch as its own; one that has not takes no
    /// harm.
    var isEnding = false

    /// The other such ends, to be proposed when this one has been dealt with.
    var endings: [LocalChange] = []

    /// What else it may have, for a server that refuses and does not say why; `nil` for nothing at all.
    var otherParents: [RevisionName?] = []

    /// How many times it was proposed.
    var proposals = 0

    /// Whether it was sent as a delta, and whether the server wants it whole.
    var isDelta = false
    var isWantedWhole = false

    /// Whether a revision of it has reached the server; otherwise the server had all.
    var wasSent = false

    /// Whether it was refused once and is being tried again.
    var isSecondTry = false
}

extension LocalChange {
    /// What the server calls the revision when it has it.
    var name: RevisionName { version.map { .version($0.current) } ?? .tree(revision) }

    /// Whether the revision is made on top of another one.
    func follows(_ name: RevisionName) -> Bool {
        switch name {
        case .tree(let revision): ancestors.contains(revision)
        case .version(let version): self.version?.contains(version) ?? false
        }
    }
}

/// What a row of the local feed comes to.
enum LocalFinding: Sendable {
    case change(LocalChange)
    /// The server's revision and the one here are in conflict, and both are here.
    case conflict(LocalChange, remote: RevisionID)
    /// What has won here takes the place of the server's revision, and needs a higher generation than that one to follow it.
    case low(LocalChange, below: RevisionID)
    /// The server's revision is on its way.
    case awaited(LocalChange)
    /// The server has it.
    case unchanged
    /// No 2.x+ server can take it.
    case refused(LocalChange, ReplicatorError)
    /// Something newer follows in the feed, or it is none of a client's documents.
    case passed
}
