import Documents
import Storage

/// Goes through a source in bounded reads, forth or back.
struct FeedCursor {
    /// The most rows of one read.
    private static let longest = 1_000

    let source: FeedSource
    private let scope: FeedScope

    /// What of the source has not been read. Each read is twice as long as the one before: many sources are read for a few rows alone.
    private var stretch: FeedStretch
    private var rows: ArraySlice<ChannelRow> = []
    private var isAtEnd = false

    /// - Parameter chunk: How many rows the first read takes.
    init(_ source: FeedSource, scope: FeedScope, chunk: Int, isDescending: Bool, end: Sequence) {
        self.source = source
        self.scope = scope
        stretch = FeedStretch(after: source.after, before: source.before ?? end, limit: chunk, isDescending: isDescending)
    }

    /// A row that has been looked up already.
    init(_ row: ChannelRow, of source: FeedSource, scope: FeedScope) {
        self.source = source
        self.scope = scope
        stretch = FeedStretch(limit: 0)
        rows = [row]
        isAtEnd = true
    }

    /// Where the next row stands, or may stand at the earliest; `nil` where there is none.
    var bound: FeedPosition? {
        if let row = rows.first { return source.position(row.document.sequence) }
        guard !isAtEnd, let before = stretch.before, stretch.after.value < before.value - 1 else { return nil }
        return source.position(Sequence(stretch.isDescending ? before.value - 1 : stretch.after.value + 1))
    }

    /// Takes the next row, if it stands there.
    mutating func take(at position: FeedPosition, in snapshot: any StoreSnapshot) throws -> ChannelRow? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        guard let row = rows.first, source.position(row.document.sequence) == position else { return nil }
        rows.removeFirst()
        return row
    }

    private mutating func read(from snapshot: any StoreSnapshot) throws {
        var found: [ChannelRow] = []
        var seen = 0
        var last: Sequence?
        func pass(_ sequence: Sequence) {
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

    /// The row of a document that was moved; `nil` if it was purged since, or is not in the feed any more.
    private func row(_ key: DocumentKey, as id: String? = nil, at sequence: Sequence, in snapshot: any StoreSnapshot) throws -> ChannelRow?
    {
        guard let document = try snapshot.document(key), let id = id ?? document.id(in: scope) else { return nil }
        let row = FeedRow(
            key: key, sequence: sequence, id: id, revision: document.winner.text, flags: document.flags, collection: document.collection,
            bodySize: 0)
        return ChannelRow(document: row, since: .zero, leftWith: nil)
    }
}

extension DocumentRecord {
    /// Its ID in a feed; `nil` if it does not stand in that feed.
    fileprivate func id(in scope: FeedScope) -> String? {
        switch scope {
        case .unified: unifiedID
        case .collection(let key): collection == key ? id : nil
        }
    }
}
