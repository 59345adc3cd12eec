import BLIP
import Documents

/// A client purges a document as soon as it reads the row that takes it away (LiteCore, RevFinder.cc, `findRevs`). A revision that comes after
/// that would bring the document back, and nothing would ever take it away again.
extension ModernSession {
    /// Waits until the client has all that is on its way to it of documents that rows are about to take from it.
    @inline(never)
    func settle(documentsThatLeaveBy rows: [AnnouncedRow], _ feed: ChangesFeed) async {
        let ids = Set(rows.lazy.filter(\.isDeparture).map { ExactString($0.id) })
        guard !ids.isEmpty else { return }
        while feed.isActive, !isEnded, isSending(ids, by: feed) {
            await feed.change()
        }
        // A short message overtakes one of several frames.
        let last = connection.lastRequest
        while feed.isActive, !isEnded, !connection.hasSentRequests(through: last) {
            await sent.wait()
        }
    }

    /// Whether the client may yet get a revision of one of these documents: it may ask for it, or has asked for it, or has not stored it.
    private func isSending(_ ids: Set<ExactString>, by feed: ChangesFeed) -> Bool {
        wanted.contains { $0.feed === feed && $0.concerns(ids) } || awaited.values.contains { $0.feed === feed && $0.concerns(ids) }
    }
}
