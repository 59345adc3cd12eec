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
        let isCaughtUp = seen < query.limit
        if keyspace.announcesDepartures {
            try addDepartures(to: &rows, through: isCaughtUp ? nil : position)
        }
        if isCaughtUp, !query.descending { position = max(position, try snapshot.lastSequence) }
        return ChangesBatch(rows: rows, position: position, isCaughtUp: isCaughtUp)
    }

    /// A few documents are looked up one by one: the feed may be long.
    private func readDocuments(_ ids: Set<String>) throws -> ChangesBatch {
        var rows: [ChangeRow] = []
        for id in ids {
            guard let document = try keyspace.locate(id, in: snapshot, followingMoves: false),
                let sequence = keyspace.scope == .unified ? document.sequence : document.collectionSequence, sequence > query.since,
                let key = document.key
            else { continue }
            let row = FeedRow(
                key: key, sequence: sequence, id: id, revision: document.winner.text, flags: document.flags, collection: document.collection,
                bodySize: 0)
            if !(query.activeOnly && row.flags.contains(.deleted)) { rows.append(try change(row)) }
        }
        rows.sort { query.descending ? $0.sequence > $1.sequence : $0.sequence < $1.sequence }
        return ChangesBatch(rows: rows, position: max(query.since, try snapshot.lastSequence), isCaughtUp: true)
    }

    private func isWanted(_ row: FeedRow) -> Bool {
        if query.activeOnly, row.flags.contains(.deleted) { return false }
        if let ids = query.documentIDs { return ids.contains(row.id) }
        return true
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

    /// Notices of documents that were moved out, where the database gives them, merged in by sequence.
    private func addDepartures(to rows: inout [ChangeRow], through last: Sequence?) throws {
        guard !query.activeOnly, case .collection(let key) = keyspace.scope else { return }
        var notices: [ChangeRow] = []
        try snapshot.departures(from: key, after: query.since, limit: query.limit) { departure in
            if let last, departure.sequence > last { return }
            if let ids = query.documentIDs, !ids.contains(departure.id) { return }
            guard let document = try snapshot.document(departure.document) else { return }
            notices.append(
                ChangeRow(
                    sequence: departure.sequence, id: departure.id, revision: document.winner.text, isDeleted: false, isRemoval: true, bodySize: 0))
        }
        guard !notices.isEmpty else { return }
        rows = (rows + notices).sorted { $0.sequence < $1.sequence }
    }
}

extension Keyspace {
    var announcesDepartures: Bool {
        guard case .collection = scope else { return false }
        return database.configuration.departures == .notify
    }
}
