import Documents

/// A client purges a document as soon as it reads the row that takes it away (LiteCore, RevFinder.cc, `findRevs`). A revision that comes after
/// that row would bring the document back, and no row would take it away again.
extension ModernSession {
    /// Waits until the client has all revisions on their way to it of documents that rows are about to take away.
    @inline(never)
    func settle(documentsThatLeaveBy rows: [AnnouncedRow], of handle: CollectionHandle, _ feed: ChangesFeed) async {
        let ids = Set(rows.lazy.filter(\.isDeparture).map { ExactString($0.id) })
        guard !ids.isEmpty else { return }
        while feed.isActive, !isEnded, let other = feedThatBrings(ids, to: handle) {
            await other.change()
        }
        // A short message overtakes one of several frames.
        await departureOfRequests()
    }

    /// A feed by which the client may yet get a revision of one of these documents: the client may ask for it, has asked for it, or has not stored it.
    /// It may be an earlier pull of the collection, or the feed that shows moved documents.
    private func feedThatBrings(_ ids: Set<ExactString>, to handle: CollectionHandle) -> ChangesFeed? {
        wanted.first { $0.collection == handle && $0.concerns(ids) }?.feed
            ?? awaited.values.first { $0.concerns(ids, in: handle) }?.feed
    }
}
