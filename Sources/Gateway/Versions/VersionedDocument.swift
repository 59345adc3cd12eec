import Documents
import Storage

/// A document in the form for 4.x clients, and the evaluation of their revisions of it.
///
/// Clients receive only the winner, each time under a version that includes all versions that they received before. One vector therefore describes
/// the document, and a revision is wanted if it includes the winner's version.
struct VersionedDocument {
    enum Evaluation: Equatable {
        case wanted
        case known
        case conflict
    }

    let winner: RevisionID
    let isDeleted: Bool

    /// The last version that was sent or received; `nil` if there is none yet.
    let version: VersionRecord?

    init(winner: RevisionID, isDeleted: Bool, version: VersionRecord?) {
        self.winner = winner
        self.isDeleted = isDeleted
        self.version = version
    }

    init(_ document: DocumentRecord, version: VersionRecord?) {
        self.init(winner: document.winner, isDeleted: document.flags.contains(.deleted), version: version)
    }

    /// The winner's version; `nil` if it has none.
    var current: VersionVector? {
        version?.revision == winner ? version?.vector : nil
    }

    /// The versions under which clients may have the winner.
    private var names: [Version] { version?.revision == winner ? version?.names ?? [] : [] }

    /// Whether only this database, by its own source, has given the winner versions. An upgraded client may then have it under its tree ID.
    func isOfTree(_ own: SourceID?) -> Bool {
        names.allSatisfy { $0.source == own }
    }

    /// Evaluates a proposal, whose vector may be incomplete: the revision is evaluated again when it arrives with its whole vector.
    func evaluate(_ vector: VersionVector, parent: VersionProposal.Revision?) -> Evaluation {
        if isKnown(vector) {
            if case .version(let parent)? = parent, isChosen(vector, after: parent) { return .wanted }
            return isChosen(vector, after: vector) ? .wanted : .known
        }
        switch parent {
        case nil where isDeleted: return .wanted
        case .version(let parent)? where hasSeenWinner(parent) || isWinner(parent.current): return .wanted
        case .tree(let parent)? where isWinner(parent): return .wanted
        default: break
        }
        // A newer version of the same source follows the older one.
        return hasSeenWinner(vector) ? .wanted : .conflict
    }

    /// Evaluates a revision.
    ///
    /// - Parameters:
    ///   - isDeletion: whether it is a tombstone.
    ///   - isServers: whether a server sends it, which resolves conflicts in its tree.
    ///   - isReceiving: whether the winner's version was sent to the sender, and may be on its way. It is then a conflict for the sender if the
    ///     revision does not include it. If the revision was accepted meanwhile, the client would keep that conflict, or the sent version, for ever
    ///     (LiteCore 4.1).
    func evaluate(
        _ revision: VersionHistory, isDeletion: Bool = false, isServers: Bool = false, isReceiving: Bool = false
    ) -> Evaluation {
        let vector = revision.vector
        if isKnown(vector) { return !isServers && isChosen(vector, after: vector) ? .wanted : .known }
        if isReceiving, let current, !vector.contains(current.current) { return .conflict }
        if hasSeenWinner(vector) { return .wanted }
        // Clients that had the winner before their upgrade have it under its tree ID.
        if revision.legacy.contains(where: isWinner) { return .wanted }
        if let stand = Version(standingFor: winner.modernAlias), vector.time(of: .revisionTrees) == stand.time { return .wanted }
        guard isDeleted else { return .conflict }
        // A client without any version of a deleted document may create it again. If the tombstone was sent as a version, the client may be pulling
        // it at the same time, and has to resolve the conflict (Sync Gateway 4.0, `HLVConflict`). Two tombstones are no conflict.
        return isDeletion || version == nil && revision.legacy.isEmpty ? .wanted : .conflict
    }

    private func hasSeenWinner(_ vector: VersionVector) -> Bool {
        version.map { $0.revision == winner && $0.isSeen(by: vector) } ?? false
    }

    /// Whether a client has kept an older version although it has received the winner's: it has resolved a conflict, which can be one that it alone
    /// sees.
    ///
    /// - Parameter seen: Versions that the client has.
    private func isChosen(_ vector: VersionVector, after seen: VersionVector) -> Bool {
        current.map { $0.current != vector.current && seen.contains($0.current) } ?? false
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
    /// Whether a vector's writer has received the revision as the winner: the newest stored version that the vector contains is one of this
    /// revision.
    ///
    /// A branch may lose to another one and win again. A vector with the other branch's version contains the first branch's former version, too,
    /// but its writer has not received that the first branch has won again.
    func isSeen(by vector: VersionVector) -> Bool {
        vector.contains(self.vector.current) || earlier.first { vector.contains($0.version) }?.revision == revision
    }
}
