import Documents
import Storage

/// Reads one batch of a changes feed from a snapshot.
struct ChangesReader {
    let keyspace: Keyspace
    let query: ChangesQuery
    let snapshot: any StoreSnapshot

    func read() throws -> ChangesBatch {
        if let ids = query.documentIDs, ids.count <= query.limit { return try readDocuments(ids) }
        var rows: [ChangeRow] = []
        var position = query.since
        var seen = 0
        rows.reserveCapacity(min(query.limit, 1000))
        try snapshot.feed(keyspace.scope, after: query.since, limit: query.limit, descending: query.descending) { row in
            seen += 1
            position = row.sequence
            if isWanted(row) { rows.append(try change(row)) }
            return true
        }
        var batch = ChangesBatch(rows: rows, position: position, isCaughtUp: seen < query.limit)
        if keyspace.announcesDepartures { try addDepartures(to: &batch) }
        if batch.isCaughtUp, !query.descending { batch.position = max(batch.position, try snapshot.lastSequence) }
        return batch
    }

    /// A few documents are looked up one by one: the feed may be long.
    private func readDocuments(_ ids: Set<ExactString>) throws -> ChangesBatch {
        var rows: [ChangeRow] = []
        for id in ids.lazy.map(\.string) {
            guard let document = try keyspace.locate(id, in: snapshot, followingMoves: false) else {
                if let notice = try notice(of: id) { rows.append(notice) }
                continue
            }
            guard let sequence = keyspace.scope == .unified ? document.sequence : document.collectionSequence, sequence > query.since,
                let key = document.key
            else { continue }
            let row = FeedRow(
                key: key, sequence: sequence, id: id, revision: document.winner.text, flags: document.flags,
                collection: document.collection,
                bodySize: 0)
            if !(query.activeOnly && row.flags.contains(.deleted)) { rows.append(try change(row)) }
        }
        rows.sort { query.descending ? $0.sequence > $1.sequence : $0.sequence < $1.sequence }
        return ChangesBatch(rows: rows, position: max(query.since, try snapshot.lastSequence), isCaughtUp: true)
    }

    private func isWanted(_ row: FeedRow) -> Bool {
        if query.activeOnly, row.flags.contains(.deleted) { return false }
        return isAskedFor(row.id)
    }

    private func change(_ row: FeedRow) throws -> ChangeRow {
        let needsTree = query.allLeaves && row.flags.contains(.branched)
        let document = needsTree || query.includesContent ? try snapshot.document(row.key) : nil
        let others = needsTree ? document?.tree.leaves.dropFirst().map(\.id.text) ?? [] : []
        var content: RevisionContent?
        if query.includesContent, let document {
            content = try DocumentView(record: document, id: row.id, snapshot: snapshot).content(of: document.winner)
        }
        return ChangeRow(
            sequence: row.sequence, id: row.id, revision: row.revision, otherLeaves: others, isDeleted: row.flags.contains(.deleted),
            bodySize: row.bodySize, content: content)
    }

    /// Whether the query is not for certain documents, or for this one.
    private func isAskedFor(_ id: String) -> Bool {
        query.documentIDs?.contains(ExactString(id)) ?? true
    }

    /// The notice that a document was moved out, where the database gives notices and the reader has not seen it.
    private func notice(of id: String) throws -> ChangeRow? {
        guard keyspace.announcesDepartures, !query.activeOnly, case .collection(let key) = keyspace.scope,
            let departure = try snapshot.departure(from: key, id: id), departure.sequence > query.since
        else { return nil }
        return try removal(departure)
    }

    private func removal(_ departure: DepartureRecord) throws -> ChangeRow? {
        try snapshot.document(departure.document).map {
            ChangeRow(
                sequence: departure.sequence, id: departure.id, revision: $0.winner.text, isDeleted: false, isRemoval: true, bodySize: 0)
        }
    }

    /// Notices of documents that were moved out, merged in by sequence. What does not fit is left to the next batch.
    private func addDepartures(to batch: inout ChangesBatch) throws {
        guard !query.activeOnly, case .collection(let key) = keyspace.scope else { return }
        var notices: [ChangeRow] = []
        var seen = 0
        var last = query.since
        try snapshot.departures(from: key, after: query.since, limit: query.limit) { departure in
            seen += 1
            last = departure.sequence
            guard isAskedFor(departure.id), let notice = try removal(departure) else { return }
            notices.append(notice)
        }
        if query.descending {
            batch.rows = Array((batch.rows + notices).sorted { $0.sequence > $1.sequence }.prefix(query.limit))
            return
        }
        // Neither the rows nor the notices are known behind where the shorter of the two ends.
        var end = batch.isCaughtUp ? nil : batch.position
        if seen == query.limit { end = min(end ?? last, last) }
        var rows = (batch.rows + notices).filter { row in end.map { row.sequence <= $0 } ?? true }.sorted { $0.sequence < $1.sequence }
        if rows.count > query.limit {
            rows.removeLast(rows.count - query.limit)
            end = rows.last?.sequence
        }
        batch.rows = rows
        guard let end else { return }
        batch.position = end
        batch.isCaughtUp = false
    }
}

extension Keyspace {
    var announcesDepartures: Bool {
        guard case .collection = scope else { return false }
        return database.configuration.departures == .notify
    }
}
