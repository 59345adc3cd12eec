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

    /// Where the next row stands; `nil` at the end.
    mutating func position(in snapshot: any StoreSnapshot) throws -> FeedPosition? {
        while rows.isEmpty, !isAtEnd { try read(from: snapshot) }
        return rows.isEmpty ? nil : source.position(rows[rows.startIndex].document.sequence)
    }

    /// Takes the next row that was read; `nil` if it stands elsewhere.
    mutating func take(at position: FeedPosition) -> ChannelRow? {
        guard !rows.isEmpty, source.position(rows[rows.startIndex].document.sequence) == position else { return nil }
        return rows.removeFirst()
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
                seen += 1
                last = departure.sequence
                guard let row = try row(departure.document, as: departure.id, at: last, in: snapshot) else { return }
                found.append(row)
            }
        case .crossings(let collection):
            try snapshot.departures(from: collection, after: after, limit: chunk) { departure in
                seen += 1
                last = departure.sequence
                guard let row = try row(departure.document, at: last, in: snapshot) else { return }
                found.append(row)
            }
        case .returns(let collection):
            try snapshot.returns(to: collection, after: after, limit: chunk) { document, sequence in
                seen += 1
                last = sequence
                guard let row = try row(document, at: last, in: snapshot) else { return }
                found.append(row)
            }
        }
        isAtEnd = isPastEnd || seen < chunk
        after = last
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
