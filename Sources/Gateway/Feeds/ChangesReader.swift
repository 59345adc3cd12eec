import Access
import Documents
import Storage

/// Reads one batch of a changes feed from a snapshot.
struct ChangesReader {
    let keyspace: Keyspace
    private(set) var query: ChangesQuery
    let snapshot: any StoreSnapshot
    private let visibility: Visibility

    init(keyspace: Keyspace, query: ChangesQuery, snapshot: any StoreSnapshot) throws {
        self.keyspace = keyspace
        self.query = query
        self.snapshot = snapshot
        // A restored backup loses the sequences issued after it: a client whose position is among them restarts at the backup's end.
        if let fence = try snapshot.fence(around: query.since.settled) {
            self.query.since = FeedPosition(fence, reached: query.since.reached)
        }
        if case .collection(let key) = keyspace.scope, let name = keyspace.database.collections[key]?.name,
            query.channels?.contains(name) == true
        {
            self.query.channels?.insert(CollectionChannel.name(of: name))
        }
        visibility = Visibility(rights: try keyspace.rights(in: snapshot), snapshot: snapshot)
    }

    private var since: SequenceNumber { query.since.settled }

    /// The reader's access to each collection.
    var access: [CollectionKey: ChannelAccess] { keyspace.access(of: visibility.rights) }

    /// The users and roles from which the feed's access derives.
    var grantees: Set<Grantee> { visibility.rights.grantees }

    func read() throws -> ChangesBatch {
        var batch = try readBatch()
        // A mark (`reached` 0) stays. A caught-up batch continues at a plain position, and so do its rows, for clients that persist the position of
        // the last row: upstream's numbers may have another meaning when the client returns.
        let reached = batch.isCaughtUp && query.since.reached != 0 ? nil : query.since.reached
        batch.position.reached = reached
        if let reached {
            for index in batch.rows.indices { batch.rows[index].reached = reached }
        }
        return batch
    }

    private func readBatch() throws -> ChangesBatch {
        let access = access
        if let ids = query.documentIDs, ids.count <= query.limit { return try readDocuments(ids, access) }
        guard query.channels == nil, query.since.trigger == nil, try isWholeFeed(access) else { return try channelReader(access).read() }
        return try readAll()
    }

    /// Whether the reader receives the whole feed in its own order. A reader who had access to everything before the first document was written has
    /// no earlier rows to go back for.
    private func isWholeFeed(_ access: [CollectionKey: ChannelAccess]) throws -> Bool {
        guard keyspace.scope != .unified || visibility.rights.isUniform else { return false }
        if access.values.allSatisfy({ $0.isWholeFeed(since: since) }) { return true }
        guard access.values.allSatisfy(\.seesEverything) else { return false }
        var first: SequenceNumber?
        try snapshot.feed(keyspace.scope, FeedStretch(limit: 1)) { row in
            first = row.sequence
            return false
        }
        guard let first else { return false }
        return access.values.allSatisfy { $0.isWholeFeed(since: SequenceNumber(first.value - 1)) }
    }

    /// Reads the whole feed, for a reader who always had access to everything.
    private func readAll() throws -> ChangesBatch {
        var rows: [ChangeRow] = []
        var position = since
        var seen = 0
        var stretch = FeedStretch(after: since, limit: query.limit, isDescending: query.descending)
        // An ascending feed continues in the next batch after a page without wanted rows; a descending feed has to fit in one batch.
        repeat {
            seen = 0
            try snapshot.feed(keyspace.scope, stretch) { row in
                seen += 1
                position = row.sequence
                if isWanted(row) { rows.append(try change(row)) }
                return !query.descending || rows.count < query.limit
            }
            stretch.before = position
        } while query.descending && rows.count < query.limit && seen == query.limit
        let isCaughtUp = (query.descending ? rows.count : seen) < query.limit
        var batch = ChangesBatch(rows: rows, position: FeedPosition(position), isCaughtUp: isCaughtUp)
        if let key = keyspace.announcedDepartures { try addDepartures(from: key, to: &batch) }
        if batch.isCaughtUp, !query.descending { batch.position = max(batch.position, FeedPosition(try snapshot.lastSequence)) }
        return batch
    }

    /// The reader for users with limited access.
    func channelReader(_ access: [CollectionKey: ChannelAccess]) throws -> ChannelChangesReader {
        let upstream = try query.since.reached.map { try keyspace.seenUpstream(upTo: $0, in: snapshot) } ?? UpstreamClientState()
        return ChannelChangesReader(
            query: query, scope: keyspace.scope, visibility: visibility, access: upstream.widening(access),
            departures: keyspace.announcedDepartures, upstream: upstream, change: change)
    }

    /// Looks up a few documents one by one: the feed may be long.
    private func readDocuments(_ ids: Set<ExactString>, _ access: [CollectionKey: ChannelAccess]) throws -> ChangesBatch {
        let reader = DocumentRowReader(try channelReader(access))
        var rows: [ChangeRow] = []
        for id in ids.lazy.map(\.string) {
            if let document = try keyspace.locate(id, in: snapshot, followingMoves: false) {
                rows += try reader.rows(of: document, as: id)
            } else if let notice = try notice(of: id) {
                rows.append(notice)
            }
        }
        rows.sort { query.descending ? $0.position > $1.position : $0.position < $1.position }
        guard rows.count <= query.limit else {
            rows.removeLast(rows.count - query.limit)
            return ChangesBatch(rows: rows, position: rows.last?.position ?? query.since, isCaughtUp: false)
        }
        return ChangesBatch(rows: rows, position: max(query.since, FeedPosition(try snapshot.lastSequence)), isCaughtUp: true)
    }

    private func isWanted(_ row: FeedRow) -> Bool {
        if query.activeOnly, row.flags.contains(.deleted) { return false }
        return query.isAskedFor(row.id)
    }

    private func change(_ row: FeedRow) throws -> ChangeRow {
        let needsTree = query.allLeaves && row.flags.contains(.branched)
        let document = needsTree || query.includesContent ? try snapshot.document(row.key) : nil
        let leaves = needsTree ? document?.tree.leaves.dropFirst() ?? [] : []
        let others = leaves.filter { !query.activeOnly || !$0.isDeleted }.map(\.id.text)
        var content: RevisionContent?
        if query.includesContent, let document {
            content = try DocumentView(record: document, id: row.id, visibility: visibility, isWithheld: false, removal: nil)
                .content(of: document.winner)
        }
        return ChangeRow(
            sequence: row.sequence, id: row.id, revision: row.revision, otherLeaves: others, isDeleted: row.flags.contains(.deleted),
            bodySize: row.bodySize, content: content, document: row.key)
    }

    /// The notice that a document was moved out, where the database sends notices and the reader has not received it.
    private func notice(of id: String) throws -> ChangeRow? {
        guard let key = keyspace.announcedDepartures, !query.activeOnly,
            let departure = try snapshot.departure(from: key, id: id), departure.sequence > since,
            try visibility.saw(departure.document, in: key, until: departure.sequence, asked: query)
        else { return nil }
        return try removal(departure)
    }

    private func removal(_ departure: DepartureRecord) throws -> ChangeRow? {
        try snapshot.document(departure.document).map {
            ChangeRow(
                sequence: departure.sequence, id: departure.id, revision: $0.winner.text, isDeleted: false, departure: .moved, bodySize: 0,
                document: departure.document)
        }
    }

    /// Merges notices of moved documents into the batch by sequence. The next batch gets the notices that do not fit.
    private func addDepartures(from key: CollectionKey, to batch: inout ChangesBatch) throws {
        guard !query.activeOnly else { return }
        var notices: [ChangeRow] = []
        var seen = 0
        var last = since
        try snapshot.departures(from: key, FeedStretch(after: since, limit: query.limit, isDescending: query.descending)) { departure in
            seen += 1
            last = departure.sequence
            guard query.isAskedFor(departure.id), let notice = try removal(departure) else { return }
            notices.append(notice)
        }
        if query.descending {
            batch.rows = Array((batch.rows + notices).sorted { $0.sequence > $1.sequence }.prefix(query.limit))
            return
        }
        // Beyond the end of the shorter list, either rows or notices are unknown.
        var end = batch.isCaughtUp ? nil : batch.position.sequence
        if seen == query.limit { end = min(end ?? last, last) }
        var rows = (batch.rows + notices).filter { row in end.map { row.sequence <= $0 } ?? true }.sorted { $0.sequence < $1.sequence }
        if rows.count > query.limit {
            rows.removeLast(rows.count - query.limit)
            end = rows.last?.sequence
        }
        batch.rows = rows
        guard let end else { return }
        batch.position = FeedPosition(end)
        batch.isCaughtUp = false
    }
}

extension Keyspace {
    /// The collection whose feed announces documents that were moved out of it: this one, if the database is configured so.
    var announcedDepartures: CollectionKey? {
        guard case .collection(let key) = scope, database.configuration.departures == .notify else { return nil }
        return key
    }
}

extension ChannelAccess {
    /// Whether a feed from `since` on is the whole feed, without earlier rows to go back for.
    func isWholeFeed(since: SequenceNumber) -> Bool {
        channels[Self.everything].map { $0 <= since || $0 == .zero } ?? false
    }
}
