import Access
import Storage

/// A feed of which little is new, for a reader with many channels.
///
/// A write wakes all feeds of those who see the document. To ask each of a reader's channels for it would cost as much as the reader has channels.
extension ChannelChangesReader {
    /// The most changes that are looked up one by one.
    private static let few = 100

    /// The streams of a batch, merged.
    func merge() throws -> FeedMerge {
        if let (sources, news) = try news() {
            return try FeedMerge(sources, and: news, scope: scope, rows: query.limit, isDescending: false, in: snapshot)
        }
        return try FeedMerge(plan().sources, scope: scope, rows: query.limit, isDescending: query.descending, in: snapshot)
    }

    /// The rows of the reader's channels, looked up by the documents that have changed, and the streams beside those of the channels; `nil` where the channels
    /// have to be read.
    func news() throws -> (sources: [FeedSource], news: [FeedCursor])? {
        let since = query.since.settled
        guard !query.descending, query.since.trigger == nil, access.values.allSatisfy({ $0.isSettled(at: since) }),
            try snapshot.lastChannelOnlySequence <= since
        else { return nil }
        let count = max(0, try snapshot.lastSequence.value - since.value)
        let seesAll = query.isAskedFor(channel: ChannelAccess.everything)
        let whole = access.filter { $0.value.seesEverything && seesAll }
        let parts = access.filter { whole[$0.key] == nil }
        let streams = parts.values.reduce(0) { $0 + (query.channels?.count ?? $1.channels.count) }
        guard count <= Self.few, 2 * count < streams else { return nil }
        var rows: [FeedCursor] = []
        // There are at most as many rows as sequences.
        try snapshot.feed(scope, FeedStretch(after: since, limit: Int(count) + 1)) { row in
            guard let access = parts[row.collection] else { return true }
            for entry in try snapshot.channels(of: row.key) {
                guard let sequence = entry.sequence(in: scope), sequence > since, access.includes(anyOf: [entry.channel]),
                    query.isAskedFor(channel: entry.channel)
                else { continue }
                let source = FeedSource(kind: .channel(entry.channel, row.collection), phase: .changes, after: since, before: nil)
                let place = ChannelRow(document: row.moved(to: sequence), since: entry.since, leftWith: entry.leftWith)
                rows.append(FeedCursor(place, of: source, scope: scope))
            }
            return true
        }
        return (FeedPlan(whole, query, moves: moves).sources, rows)
    }
}

extension ChannelAccess {
    /// Whether nothing was given or taken after a sequence, so that a feed from there on is what has changed.
    fileprivate func isSettled(at sequence: SequenceNumber) -> Bool {
        channels.values.allSatisfy { $0 <= sequence } && lost.allSatisfy { $0.lost <= sequence }
    }
}

extension FeedRow {
    /// The row at a former place of its document.
    fileprivate func moved(to sequence: SequenceNumber) -> FeedRow {
        FeedRow(key: key, sequence: sequence, id: id, revision: revision, flags: flags, collection: collection, bodySize: bodySize)
    }
}
