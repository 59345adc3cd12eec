import Documents

/// A local change to push.
struct LocalChange: Sendable, Hashable {
    let sequence: Int64
    let id: String

    /// The revision to push, by its name on the server.
    let revision: RevisionID

    /// The revision's version, for a server with versions.
    var version: VersionVector?
    let isDeleted: Bool

    /// The approximate size of the body in bytes.
    let size: Int

    /// The ancestors, the newest first, by their names on the server.
    var ancestors: [RevisionID] = []

    /// Whether the revision is on a losing local branch, and is pushed because it descends from the server's revision. The winner is pushed
    /// on top of it.
    var isLosing = false

    /// The revision that the server presumably has.
    var parent: RevisionName?

    /// Whether the revision is sent as a child of ``parent``, which is on another local branch that was closed.
    var isGrafted = false

    /// Whether the server has the revision on a branch other than its winner's, so that it cannot be sent as a child of its winner.
    var isKnownElsewhere = false

    /// Whether the change ends a losing branch of a locally deleted document. The server may have that branch as its winner; a server
    /// without the branch is unaffected.
    var isEnding = false

    /// The ends of other branches, to be proposed after this change.
    var endings: [LocalChange] = []

    /// Other revisions that the server may have, for a server that refuses without naming its revision; `nil` stands for no revision at
    /// all.
    var otherParents: [RevisionName?] = []

    /// The number of proposals of this change.
    var proposals = 0

    /// Whether the change was sent as a delta, and whether the server needs the whole revision.
    var isDelta = false
    var isWantedWhole = false

    /// Whether any revision of the change was sent; if false, the server had all of them.
    var wasSent = false

    /// Whether the change was refused once and is being retried.
    var isSecondTry = false
}

extension LocalChange {
    /// The server's name for the revision.
    var name: RevisionName { version.map { .version($0.current) } ?? .tree(revision) }

    /// Whether the revision descends from another.
    func follows(_ name: RevisionName) -> Bool {
        switch name {
        case .tree(let revision): ancestors.contains(revision)
        case .version(let version): self.version?.contains(version) ?? false
        }
    }
}

/// The result of examining a row of the local feed.
enum LocalFinding: Sendable {
    case change(LocalChange)
    /// The server's revision and the local winner are in conflict, and both are stored.
    case conflict(LocalChange, remote: RevisionID)
    /// The local winner replaces the server's revision, and needs a higher generation to become its child.
    case low(LocalChange, below: RevisionID)
    /// The server's revision has not arrived yet.
    case awaited(LocalChange)
    /// The server has the revision.
    case unchanged
    /// No 2.x+ server can store it.
    case refused(LocalChange, ReplicatorError)
    /// A newer change follows in the feed, or the document is not for clients.
    case passed
}
