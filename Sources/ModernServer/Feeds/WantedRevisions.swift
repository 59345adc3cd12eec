import Documents
import Gateway
import ModernProtocol

/// The revisions of one `changes` message that the client wants.
struct WantedRevisions {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let maxHistory: Int
    let takesBlobsInPlace: Bool

    /// The deltas that the client accepts.
    var deltas: DeltaUse
    let revisions: [WantedRevision]

    /// The same request with a single revision.
    func only(_ revision: WantedRevision) -> WantedRevisions {
        WantedRevisions(
            collection: collection, feed: feed, maxHistory: maxHistory, takesBlobsInPlace: takesBlobsInPlace, deltas: deltas,
            revisions: [revision])
    }

    /// Whether a revision belongs to one of these documents.
    func concerns(_ ids: Set<ExactString>) -> Bool {
        revisions.contains { ids.contains(ExactString($0.row.id)) }
    }
}

/// A revision that the client wants.
struct WantedRevision: Sendable {
    let row: AnnouncedRow

    /// Revisions that the client has, by the client's names for them. The client's current revision is first, but a client that accepts deltas leaves
    /// out revisions without a body, such as its own tombstone (LiteCore 3.2.1, 4.1.0, `findDocAncestors`).
    let known: [RevisionName]

    /// The last revision of the document that was sent to the client. The client may still have to store it, and then loses the base of a
    /// delta that builds on an earlier revision.
    var sentBefore: String?

    /// Whether the client has written the document over this connection.
    var isWritten = false

    /// The ``known`` revisions that have tree IDs.
    var ancestors: [RevisionID] {
        known.compactMap(\.tree)
    }

    /// Whether the client knows the document only by tree IDs: since the upgrade of its database, the document was neither edited nor
    /// received with a version.
    var isOfTree: Bool {
        !known.isEmpty && known.allSatisfy(\.isTree)
    }

    /// The tree ID by which the client has this same revision already, and for which it needs the version.
    var same: RevisionName? {
        row.version == nil ? nil : known.first.flatMap { $0.tree?.text == row.revision ? $0 : nil }
    }

    /// The tree IDs in which the history for this client ends, the newest first.
    ///
    /// - Parameter legacy: The recorded ID that the client has from before its upgrade.
    func tail(after legacy: RevisionID?, in tree: RevisionTree) -> [RevisionID] {
        guard let legacy else { return [] }
        guard isOfTree, let own = ancestors.first else { return [legacy] }
        // A client edit from before the upgrade that is not stored here must become a conflict first.
        if own == legacy, tree.lookup(modern: legacy) == nil { return [] }
        // Either the client has left out its tombstone, which follows the recorded ID, or it was restored from a backup to an older ID.
        return own.generation < legacy.generation ? [legacy, own] : [legacy]
    }

    /// The ``known`` revisions that a delta may build on. A client with versions may no longer find a revision by its tree ID (LiteCore
    /// 4.1).
    var bases: [RevisionName] {
        guard row.version != nil else { return known }
        return known.filter { !$0.isTree }
    }

    /// Whether the client has edited this revision, which it knows by its tree ID from before its database was upgraded to versions. The
    /// client would treat the version as a conflict with that edit.
    func isEdited(in tree: RevisionTree) -> Bool {
        guard let version = row.version, let own = known.first, known.dropFirst().contains(where: { $0.tree?.text == row.revision }) else {
            return false
        }
        // If the client has an earlier version of this source, its edit descends from that version, and the server refuses the edit as a
        // conflict.
        guard !known.dropFirst().contains(where: { $0.source == version.current.source }) else { return false }
        return switch own {
        case .version(let own): !version.contains(own)
        case .tree(let own): tree.lookup(modern: own) == nil
        }
    }
}

extension RevisionName {
    /// The source of the version; `nil` for an ID in a tree.
    fileprivate var source: SourceID? {
        if case .version(let version) = self { version.source } else { nil }
    }
}

/// The deltas that a client is sent.
enum DeltaUse: Sendable {
    case none
    /// The client accepts deltas, but delta sync is disabled: only empty deltas, which state that the client has the body already.
    case ofNothing
    case all
}
