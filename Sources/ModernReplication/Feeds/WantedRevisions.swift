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

    /// Revisions that the client has, by its names for them.
    let ancestors: [RevisionID]
}
