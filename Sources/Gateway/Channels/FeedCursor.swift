import Documents
import Storage

/// Goes through a source in bounded reads.
struct FeedCursor {
    let source: FeedSource
    private let scope: FeedScope
    private let chunk: Int
    private var after: Sequence
    private var rows: ArraySlice<ChannelRow> = []
    private var isAtEnd = false

    init(_ source: FeedSource, scope: FeedScope, chunk: Int) {
        self.source = source
        self.scope = scope
        self.chunk = chunk
        after = source.after
    }

    /// The next row, without taking it; `nil` at the end.
    mutating func peek(in snapshot: any StoreSnapshot) throws -> ChannelRow? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        return rows.first
    }

    mutating func take() {
        rows.removeFirst()
    }

    private mutating func read(from snapshot: any StoreSnapshot) throws {
        var found: [ChannelRow] = []
        var seen = 0
        var last = after
        var isPastEnd = false
        func accept(_ row: ChannelRow) -> Bool {
            if let before = source.before, row.document.sequence >= before {
                isPastEnd = true
                return false
            }
            seen += 1
            last = row.document.sequence
            found.append(row)
            return true
        }
        switch source.kind {
        case .channel(let channel, let collection):
            try snapshot.channelFeed(channel, of: collection, in: scope, after: after, limit: chunk) { accept($0) }
        case .collections(let collections):
            try snapshot.feed(scope, after: after, limit: chunk, descending: false) { row in
                guard collections.contains(row.collection) else {
                    seen += 1
                    last = row.sequence
                    return true
                }
                return accept(ChannelRow(document: row, since: row.sequence, leftWith: nil))
            }
        case .departures(let collection):
            try snapshot.departures(from: collection, after: after, limit: chunk) { departure in
                guard let document = try snapshot.document(departure.document) else {
                    // Purged since.
                    seen += 1
                    last = departure.sequence
                    return
                }
                let row = FeedRow(
                    key: departure.document, sequence: departure.sequence, id: departure.id, revision: document.winner.text,
                    flags: document.flags, collection: document.collection, bodySize: 0)
                _ = accept(ChannelRow(document: row, since: .zero, leftWith: nil))
            }
        }
        isAtEnd = isPastEnd || seen < chunk
        after = last
        rows = found[...]
    }
}
