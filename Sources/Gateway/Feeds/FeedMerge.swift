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
    private var cursors: [FeedCursor]
    private var turns: Heap<Turn>

    /// - Parameters:
    ///   - rows: The approximate number of rows that will be read.
    ///   - news: Rows of further sources that are already looked up.
    init(
        _ sources: [FeedSource], and news: [FeedCursor] = [], scope: FeedScope, rows: Int, isDescending: Bool,
        in snapshot: any StoreSnapshot
    ) throws {
        self.snapshot = snapshot
        self.isDescending = isDescending
        // Sources of moves hardly yield any rows.
        let streams = sources.count { !$0.kind.isOfMoves }
        let chunk = min(1_000, max(2, min(rows, 2 * (rows / max(1, streams)))))
        let end = SequenceNumber(try snapshot.lastSequence.value + 1)
        cursors = sources.map { FeedCursor($0, scope: scope, chunk: chunk, isDescending: isDescending, end: end) } + news
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
                found.append((cursors[turn.cursor].source, row))
            }
            if let bound = cursors[turn.cursor].bound { turns.insert(Turn(position: bound, cursor: turn.cursor)) }
        }
        return position.map { ($0, found) }
    }
}

/// Reads a source in bounded steps, ascending or descending.
struct FeedCursor {
    /// The maximum number of rows per read.
    private static let longest = 1_000

    let source: FeedSource
    private let scope: FeedScope

    /// The unread part of the source. Each read is twice as long as the previous one, because many sources are read for a few rows only.
    private var stretch: FeedStretch
    private var rows: ArraySlice<ChannelRow> = []
    private var isAtEnd = false

    /// - Parameter chunk: The number of rows of the first read.
    init(_ source: FeedSource, scope: FeedScope, chunk: Int, isDescending: Bool, end: SequenceNumber) {
        self.source = source
        self.scope = scope
        stretch = FeedStretch(after: source.after, before: source.before ?? end, limit: chunk, isDescending: isDescending)
    }

    /// A cursor with a single row that is already looked up.
    init(_ row: ChannelRow, of source: FeedSource, scope: FeedScope) {
        self.source = source
        self.scope = scope
        stretch = FeedStretch(limit: 0)
        rows = [row]
        isAtEnd = true
    }

    /// The position of the next row, or its lower bound; `nil` at the end.
    var bound: FeedPosition? {
        if let row = rows.first { return source.position(row.document.sequence) }
        guard !isAtEnd, let before = stretch.before, stretch.after.value < before.value - 1 else { return nil }
        return source.position(SequenceNumber(stretch.isDescending ? before.value - 1 : stretch.after.value + 1))
    }

    /// Removes and returns the next row if it has this position.
    mutating func take(at position: FeedPosition, in snapshot: any StoreSnapshot) throws -> ChannelRow? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        guard let row = rows.first, source.position(row.document.sequence) == position else { return nil }
        rows.removeFirst()
        return row
    }

    private mutating func read(from snapshot: any StoreSnapshot) throws {
        var found: [ChannelRow] = []
        var seen = 0
        var last: SequenceNumber?
        func pass(_ sequence: SequenceNumber) {
            seen += 1
            last = sequence
        }
        switch source.kind {
        case .channel(let channel, let collection):
            try snapshot.channelFeed(channel, of: collection, in: scope, stretch) { row in
                pass(row.document.sequence)
                found.append(row)
                return true
            }
        case .collections(let collections):
            try snapshot.feed(scope, stretch) { row in
                pass(row.sequence)
                if collections.contains(row.collection) { found.append(ChannelRow(document: row, since: row.sequence, leftWith: nil)) }
                return true
            }
        case .departures(let collection):
            try snapshot.departures(from: collection, stretch) { departure in
                pass(departure.sequence)
                if let row = try row(departure.document, as: departure.id, at: departure.sequence, in: snapshot) { found.append(row) }
            }
        case .crossings(let collection):
            try snapshot.departures(from: collection, stretch) { departure in
                pass(departure.sequence)
                if let row = try row(departure.document, at: departure.sequence, in: snapshot) { found.append(row) }
            }
        case .returns(let collection):
            try snapshot.returns(to: collection, stretch) { document, sequence in
                pass(sequence)
                if let row = try row(document, at: sequence, in: snapshot) { found.append(row) }
            }
        }
        isAtEnd = seen < stretch.limit
        if let last {
            if stretch.isDescending { stretch.before = last } else { stretch.after = last }
        }
        stretch.limit = min(2 * stretch.limit, Self.longest)
        rows = found[...]
    }

    /// The row of a moved document; `nil` if it has been purged, or is not in the feed any more.
    private func row(_ key: DocumentKey, as id: String? = nil, at sequence: SequenceNumber, in snapshot: any StoreSnapshot) throws
        -> ChannelRow?
    {
        guard let document = try snapshot.document(key), let id = id ?? document.id(in: scope) else { return nil }
        let row = FeedRow(
            key: key, sequence: sequence, id: id, revision: document.winner.text, flags: document.flags, collection: document.collection,
            bodySize: 0)
        return ChannelRow(document: row, since: .zero, leftWith: nil)
    }
}

extension DocumentRecord {
    /// The document's ID in a feed; `nil` if that feed does not contain it.
    fileprivate func id(in scope: FeedScope) -> String? {
        switch scope {
        case .unified: unifiedID
        case .collection(let key): collection == key ? id : nil
        }
    }
}
