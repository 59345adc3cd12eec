import Documents
import Storage

/// A document as 4.x clients know it, and what is to become of their revisions of it.
///
/// Clients are shown the winning revision alone, each time under a version that takes in all that they were shown before. So one vector says
/// what is known here, and a revision is welcome if it takes in the version of what has won.
struct VersionedDocument {
    enum Verdict: Equatable {
        case wanted
        case known
        case conflict
    }

    let winner: RevisionID
    let isDeleted: Bool

    /// The last version under which it was shown, or pushed; `nil` if there is none yet.
    let version: VersionRecord?

    init(winner: RevisionID, isDeleted: Bool, version: VersionRecord?) {
        self.winner = winner
        self.isDeleted = isDeleted
        self.version = version
    }

    init(_ document: DocumentRecord, version: VersionRecord?) {
        self.init(winner: document.winner, isDeleted: document.flags.contains(.deleted), version: version)
    }

    /// The version of what has won; `nil` if it was never shown as a version.
    var current: VersionVector? {
        version?.revision == winner ? version?.vector : nil
    }

    /// The versions by which clients may know what has won.
    private var names: [Version] { version?.revision == winner ? version?.names ?? [] : [] }

    /// Whether nobody but this database, by its own source, has named the winner by a version. Then a client that was upgraded may know it by its
    /// ID in the tree.
    func isOfTree(_ own: SourceID?) -> Bool {
        names.allSatisfy { $0.source == own }
    }

    /// Whether a revision is wanted whose vector the client may not have told: the revision itself, when it comes, is judged by its vector.
    func verdict(on vector: VersionVector, parent: VersionProposal.Revision?) -> Verdict {
        if isKnown(vector) { return .known }
        switch parent {
        case nil where isDeleted: return .wanted
        case .version(let parent)? where hasSeenWinner(parent) || isWinner(parent.current): return .wanted
        case .tree(let parent)? where isWinner(parent): return .wanted
        default: break
        }
        // A newer version of the same source follows the older one.
        return hasSeenWinner(vector) ? .wanted : .conflict
    }

    /// What is to become of a revision.
    ///
    /// - Parameter isDeletion: whether it is a tombstone.
    func verdict(on revision: VersionHistory, isDeletion: Bool = false) -> Verdict {
        let vector = revision.vector
        if isKnown(vector) { return .known }
        if hasSeenWinner(vector) { return .wanted }
        // Clients that had the winner before they were upgraded know it by its ID in the tree.
        if revision.legacy.contains(where: isWinner) { return .wanted }
        if let stand = Version(standingFor: winner.modernAlias), vector.time(of: .revisionTrees) == stand.time { return .wanted }
        guard isDeleted else { return .conflict }
        // A document that is deleted may be created anew by a client that cannot have seen a version of it. Where the tombstone was shown, the client
        // may be pulling it at the same time, and has to put both in order (Sync Gateway 4.0, `HLVConflict`). Two tombstones are no conflict.
        return isDeletion || version == nil && revision.legacy.isEmpty ? .wanted : .conflict
    }

    private func hasSeenWinner(_ vector: VersionVector) -> Bool {
        version.map { $0.revision == winner && $0.isSeen(by: vector) } ?? false
    }

    private func isKnown(_ vector: VersionVector) -> Bool {
        version?.vector.contains(vector.current) ?? false
    }

    private func isWinner(_ revision: RevisionID) -> Bool {
        revision == winner || revision == winner.modernAlias
    }

    private func isWinner(_ version: Version) -> Bool {
        version.source == .revisionTrees && version == Version(standingFor: winner.modernAlias)
    }
}

extension VersionRecord {
    /// Whether the maker of a vector has seen the revision as the one that wins: of the versions that are remembered, the newest in the vector is a version of this
    /// revision. A branch may lose to another one and win again. A vector with the other one's version has the branch's former version, too, and its maker has
    /// not seen that the branch has come back.
    func isSeen(by vector: VersionVector) -> Bool {
        vector.contains(self.vector.current) || earlier.first { vector.contains($0.version) }?.revision == revision
    }
}
