import Documents
import HeapModule
import Storage

/// Merges the rows of several sources in feed order.
///
/// A source is read only when its next row may be due, so the cost is proportional to the rows that are used.
struct FeedMerge {
    /// A cursor in the queue.
    private struct Turn: Comparable {
        /// The position of the cursor's next row, or its lower bound.
        let position: FeedPosition
        let cursor: Int

        static func < (a: Turn, b: Turn) -> Bool { a.position < b.position }
    }

    private let snapshot: any StoreSnapshot
    private let isDescending: Bool
    private var cursors: [any FeedCursor]
    private var turns: Heap<Turn>

    /// - Parameters:
    ///   - rows: The approximate number of rows that will be read.
    ///   - news: Rows of further sources that are already looked up.
    ///   - fewest: The number of similar channels from which on they are read together.
    init(
        _ sources: [FeedSource], and news: [SingleFeedCursor] = [], scope: FeedScope, rows: Int, isDescending: Bool,
        together fewest: Int = ChannelGroupCursor.fewest, in snapshot: any StoreSnapshot
    ) throws {
        self.snapshot = snapshot
        self.isDescending = isDescending
        let last = try snapshot.lastSequence
        let (groups, others) = Self.groups(of: sources, fewest)
        // Sources of moves hardly yield any rows.
        let streams = groups.count + others.count { !$0.kind.isOfMoves }
        let chunk = min(1_000, max(2, min(rows, 2 * (rows / max(1, streams)))))
        cursors = news
        for source in others {
            let end = SequenceNumber(last.value + 1)
            cursors.append(SingleFeedCursor(source, scope: scope, chunk: chunk, isDescending: isDescending, end: end))
        }
        if !groups.isEmpty {
            let names = Set(groups.values.joined().compactMap { $0.kind.channel.map { ExactString($0.channel) } })
            let keys = try snapshot.channelKeys(names)
            let first = min(try snapshot.origin, last)
            for (group, channels) in groups {
                cursors.append(
                    ChannelGroupCursor(
                        group, channels, keys: keys, scope: scope, rows: rows, isDescending: isDescending,
                        bounds: first...last))
            }
        }
        turns = Heap(cursors.indices.lazy.compactMap { [cursors] index in cursors[index].bound.map { Turn(position: $0, cursor: index) } })
    }

    /// The rows of the next position; several where a document is in several channels. `nil` at the end.
    mutating func next() throws -> (position: FeedPosition, entries: [(FeedSource, ChannelRow)])? {
        var position: FeedPosition?
        var found: [(FeedSource, ChannelRow)] = []
        while let turn = isDescending ? turns.max : turns.min {
            if let position, turn.position != position { break }
            _ = isDescending ? turns.removeMax() : turns.removeMin()
            if let row = try cursors[turn.cursor].take(at: turn.position, in: snapshot) {
                position = turn.position
                found.append(row)
            }
            if let bound = cursors[turn.cursor].bound { turns.insert(Turn(position: bound, cursor: turn.cursor)) }
        }
        return position.map { ($0, found) }
    }

    /// Channels that are read together, and the other sources.
    private static func groups(
        of sources: [FeedSource], _ fewest: Int
    ) -> (groups: [FeedSource.Group: [FeedSource]], others: [FeedSource]) {
        guard sources.count >= fewest else { return ([:], sources) }
        var groups: [FeedSource.Group: [FeedSource]] = [:]
        var others: [FeedSource] = []
        for source in sources {
            if let group = source.group { groups[group, default: []].append(source) } else { others.append(source) }
        }
        others += groups.values.filter { $0.count < fewest }.joined()
        return (groups.filter { $0.value.count >= fewest }, others)
    }
}

/// A participant of a merge: rows in feed order.
protocol FeedCursor {
    /// The position of the next row, or its lower bound; `nil` at the end. In a descending feed it is an upper bound.
    var bound: FeedPosition? { get }

    /// Removes and returns the next row if it has this position.
    mutating func take(at position: FeedPosition, in snapshot: any StoreSnapshot) throws -> (FeedSource, ChannelRow)?
}
