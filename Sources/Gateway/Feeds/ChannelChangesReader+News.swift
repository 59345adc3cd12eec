import Access
import Storage

/// An incremental read for a reader with many channels, after few changes.
///
/// A write wakes the feeds of all readers of the document. Querying each channel of a reader would cost as much as the reader has channels.
extension ChannelChangesReader {
    /// The maximum number of changes that are looked up one by one.
    private static let few = 100

    /// The merged sources of a batch.
    ///
    /// - Parameter rows: The approximate number of rows that will be read.
    func merge(rows: Int) throws -> FeedMerge {
        if let (sources, news) = try news() {
            return try FeedMerge(sources, and: news, scope: scope, rows: rows, isDescending: false, in: snapshot)
        }
        return try FeedMerge(plan().sources, scope: scope, rows: rows, isDescending: query.descending, in: snapshot)
    }

    /// The rows of the reader's channels, found through the changed documents, and the sources beside the channels; `nil` where the channels have
    /// to be read.
    func news() throws -> (sources: [FeedSource], news: [SingleFeedCursor])? {
        let since = query.since.settled
        guard !query.descending, query.since.trigger == nil, access.values.allSatisfy({ $0.isSettled(at: since) }),
            try snapshot.lastChannelOnlySequence <= since
        else { return nil }
        let count = max(0, try snapshot.lastSequence.value - since.value)
        let seesAll = query.isAskedFor(channel: ChannelAccess.everything)
        let whole = access.filter { $0.value.seesEverything && seesAll }
        let parts = access.filter { whole[$0.key] == nil }
        guard count <= Self.few, 2 * count < streams(of: parts.values) else { return nil }
        var rows: [SingleFeedCursor] = []
        // There are at most as many rows as sequences.
        try snapshot.feed(scope, FeedStretch(after: since, limit: Int(count) + 1)) { row in
            guard let access = parts[row.collection] else { return true }
            for entry in try snapshot.channels(of: row.key) {
                guard let sequence = entry.sequence(in: scope), sequence > since, access.includes(anyOf: [entry.channel]),
                    query.isAskedFor(channel: entry.channel)
                else { continue }
                let source = FeedSource(kind: .channel(entry.channel, row.collection), phase: .changes, after: since, before: nil)
                let place = ChannelRow(document: row.moved(to: sequence), since: entry.since, leftWith: entry.leftWith)
                rows.append(SingleFeedCursor(place, of: source, scope: scope))
            }
            return true
        }
        return (FeedPlan(whole, query, moves: moves).sources, rows)
    }
}

extension ChannelAccess {
    /// Whether no grant and no loss of access came after a sequence, so that the feed from there on consists of changes only.
    fileprivate func isSettled(at sequence: SequenceNumber) -> Bool {
        channels.values.allSatisfy { $0 <= sequence } && lost.allSatisfy { $0.lost <= sequence }
    }
}

extension FeedRow {
    /// The row at an earlier sequence of its document.
    fileprivate func moved(to sequence: SequenceNumber) -> FeedRow {
        FeedRow(key: key, sequence: sequence, id: id, revision: revision, flags: flags, collection: collection, bodySize: bodySize)
    }
}
