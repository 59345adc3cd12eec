import Documents
import Gateway
import ModernProtocol

/// The revisions of one `changes` message that the client wants.
struct WantedRevisions {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let maxHistory: Int
    let takesBlobsInPlace: Bool

    /// Whether they may be sent as deltas.
    var deltas: DeltaUse
    let revisions: [WantedRevision]

    /// One of them alone.
    func only(_ revision: WantedRevision) -> WantedRevisions {
        WantedRevisions(
            collection: collection, feed: feed, maxHistory: maxHistory, takesBlobsInPlace: takesBlobsInPlace, deltas: deltas,
            revisions: [revision])
    }

    /// Whether one of them is of one of these documents.
    func concerns(_ ids: Set<ExactString>) -> Bool {
        revisions.contains { ids.contains(ExactString($0.row.id)) }
    }
}

/// One of them.
struct WantedRevision: Sendable {
    let row: AnnouncedRow

    /// Revisions that the client has, by its names for them; its own comes first.
    let known: [RevisionName]

    /// The revision that was sent to the client before: where it has not stored that yet, it will no longer have what a delta builds on.
    var sentBefore: String?

    /// Those that it names by their IDs in a tree.
    var ancestors: [RevisionID] {
        known.compactMap(\.tree)
    }

    /// Whether the client has the document by an ID of a tree: not edited, nor shown by a version, since its database was upgraded.
    var isOfTree: Bool {
        !known.isEmpty && known.allSatisfy(\.isTree)
    }

    /// The client's name for the same revision, which it has by its ID in a tree and is to know by a version.
    var same: RevisionName? {
        row.version == nil ? nil : known.first.flatMap { $0.tree?.text == row.revision ? $0 : nil }
    }

    /// Those that a delta may build on. A client with versions may no longer find what it names by an ID in a tree (LiteCore 4.1).
    var bases: [RevisionName] {
        guard row.version != nil else { return known }
        return known.filter { !$0.isTree }
    }

    /// Whether the client has edited this very revision, which it knows by its ID in the tree from before its database was upgraded to
    /// versions. It could only take the version for a conflict with the edit.
    func isEdited(in tree: RevisionTree) -> Bool {
        guard let version = row.version, let own = known.first, known.dropFirst().contains(where: { $0.tree?.text == row.revision }) else {
            return false
        }
        // Where it had the document by an earlier version of this source, its edit follows that one, and is refused as a conflict.
        guard !known.dropFirst().contains(where: { $0.source == version.current.source }) else { return false }
        return switch own {
        case .version(let own): !version.contains(own)
        case .tree(let own): tree.lookup(modern: own) == nil
        }
    }
}

extension RevisionName {
    /// Who has made the version; `nil` for an ID in a tree.
    fileprivate var source: SourceID? {
        if case .version(let version) = self { version.source } else { nil }
    }
}

/// Which deltas a client gets.
enum DeltaUse: Sendable {
    case none
    /// The client takes them, but delta sync is off: those alone that say that it has the body already.
    case ofNothing
    case all
}
