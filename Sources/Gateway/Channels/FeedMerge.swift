import HeapModule
import Storage

/// The rows of several sources in the order of one feed.
///
/// A source is read when its turn may have come, so that it costs what is taken of it.
struct FeedMerge {
    /// A cursor that waits for its turn.
    private struct Turn: Comparable {
        /// Where the cursor's next row stands, or may stand at the earliest.
        let position: FeedPosition
        let cursor: Int

        static func < (a: Turn, b: Turn) -> Bool { a.position < b.position }
    }

    private let snapshot: any StoreSnapshot
    private let isDescending: Bool
    private var cursors: [FeedCursor]
    private var turns: Heap<Turn>

    /// - Parameters:
    ///   - rows: How many rows will be taken, about.
    ///   - news: Rows of further sources, which have been looked up.
    init(
        _ sources: [FeedSource], and news: [FeedCursor] = [], scope: FeedScope, rows: Int, isDescending: Bool,
        in snapshot: any StoreSnapshot
    ) throws {
        self.snapshot = snapshot
        self.isDescending = isDescending
        // Hardly anything comes of moves.
        let streams = sources.count { !$0.kind.isOfMoves }
        let chunk = min(1_000, max(2, min(rows, 2 * (rows / max(1, streams)))))
        let end = Sequence(try snapshot.lastSequence.value + 1)
        cursors = sources.map { FeedCursor($0, scope: scope, chunk: chunk, isDescending: isDescending, end: end) } + news
        turns = Heap(cursors.indices.lazy.compactMap { [cursors] index in cursors[index].bound.map { Turn(position: $0, cursor: index) } })
    }

    /// The rows that come next; several where a document is in several channels. `nil` at the end.
    mutating func next() throws -> (position: FeedPosition, entries: [(FeedSource, ChannelRow)])? {
        var position: FeedPosition?
        var found: [(FeedSource, ChannelRow)] = []
        while let turn = isDescending ? turns.max : turns.min {
            if let position, turn.position != position { break }
            _ = isDescending ? turns.removeMax() : turns.removeMin()
            if let row = try cursors[turn.cursor].take(at: turn.position, in: snapshot) {
                position = turn.position
                found.append((cursors[turn.cursor].source, row))
            }
            if let bound = cursors[turn.cursor].bound { turns.insert(Turn(position: bound, cursor: turn.cursor)) }
        }
        return position.map { ($0, found) }
    }
}
