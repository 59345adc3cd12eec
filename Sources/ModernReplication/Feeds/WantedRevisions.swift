import Documents

/// The revisions of one `changes` message that the client wants.
struct WantedRevisions {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let maxHistory: Int
    let takesBlobsInPlace: Bool

    /// Whether they may be sent as deltas.
    var takesDeltas: Bool
    let revisions: [WantedRevision]

    /// One of them alone.
    func only(_ revision: WantedRevision) -> WantedRevisions {
        WantedRevisions(
            collection: collection, feed: feed, maxHistory: maxHistory, takesBlobsInPlace: takesBlobsInPlace, takesDeltas: takesDeltas,
            revisions: [revision])
    }
}

/// One of them.
struct WantedRevision: Sendable {
    let row: AnnouncedRow

    /// Revisions that the client has, by its names for them; its own comes first.
    let known: [RevisionName]

    /// Those that it names by their IDs in a tree.
    var ancestors: [RevisionID] {
        known.compactMap { if case .tree(let id) = $0 { id } else { nil } }
    }

    /// Those that a delta may build on. A client with versions may no longer find what it names by an ID in a tree (LiteCore 4.1).
    var bases: [RevisionName] {
        guard row.version != nil else { return known }
        return known.filter { if case .version = $0 { true } else { false } }
    }

    /// Whether the client has edited this very revision, which it knows by its ID in the tree from before its database was upgraded to
    /// versions. It could only take the version for a conflict with the edit.
    func isEdited(in tree: RevisionTree) -> Bool {
        guard let version = row.version, let own = known.first, known.dropFirst().contains(where: { $0.isTree(row.revision) }) else {
            return false
        }
        return switch own {
        case .version(let own): !version.contains(own)
        case .tree(let own): tree.lookup(modern: own) == nil
        }
    }
}

extension RevisionName {
    fileprivate func isTree(_ revision: String) -> Bool {
        if case .tree(let id) = self { id.text == revision } else { false }
    }
}
