import Documents
import Storage

/// Reads a source in bounded steps, ascending or descending.
struct SingleFeedCursor: FeedCursor {
    /// The maximum number of rows per read.
    private static let longest = 1_000

    private let source: FeedSource
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

    var bound: FeedPosition? {
        if let row = rows.first { return source.position(row.document.sequence) }
        guard !isAtEnd, let before = stretch.before, stretch.after.value < before.value - 1 else { return nil }
        return source.position(SequenceNumber(stretch.isDescending ? before.value - 1 : stretch.after.value + 1))
    }

    mutating func take(at position: FeedPosition, in snapshot: any StoreSnapshot) throws -> (FeedSource, ChannelRow)? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        guard let row = rows.first, source.position(row.document.sequence) == position else { return nil }
        rows.removeFirst()
        return (source, row)
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
