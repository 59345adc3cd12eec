import Documents
import Storage

/// A document of a step, as it was when the routes were evaluated.
struct MoveCandidate: Sendable {
    let record: DocumentRecord

    /// Its ID in the unified keyspace, for the routes.
    let legacyID: String

    /// The body for the routes.
    let body: [UInt8]

    /// The winner's body; `nil` if it was never received.
    let winnerBody: StoredBody?
    let attachmentCount: Int

    /// Reads the next documents of the default collection.
    static func read(after cursor: DocumentKey, limit: Int, from snapshot: any StoreSnapshot) throws -> [MoveCandidate] {
        try read(in: .default, after: cursor, limit: limit, from: snapshot)
    }

    /// Reads the next documents of all collections.
    static func readAll(after cursor: DocumentKey, limit: Int, from snapshot: any StoreSnapshot) throws -> [MoveCandidate] {
        try read(in: nil, after: cursor, limit: limit, from: snapshot)
    }

    private static func read(
        in collection: CollectionKey?, after cursor: DocumentKey, limit: Int, from snapshot: any StoreSnapshot
    ) throws -> [MoveCandidate] {
        var candidates: [MoveCandidate] = []
        var bytes = 0
        try snapshot.documents(in: collection, after: cursor, limit: limit) { record in
            let body = try snapshot.body(of: record.winner, in: record)
            candidates.append(try MoveCandidate(record, winnerBody: body, legacyID: record.unifiedID ?? record.id, in: snapshot))
            bytes += body?.properties.count ?? 0
            return bytes < StepSize.bytes
        }
        return candidates
    }

    init(_ record: DocumentRecord, winnerBody: StoredBody?, legacyID: String, in snapshot: any StoreSnapshot) throws {
        self.record = record
        self.legacyID = legacyID
        self.winnerBody = winnerBody
        body = try Self.routingBody(of: record, winner: winnerBody, in: snapshot)
        attachmentCount = try winnerBody?.attachments.map { try AttachmentSet($0).entries.count } ?? 0
    }

    /// The body for the routes. A tombstone has no properties to match, so the newest live ancestor's body is used if it is stored.
    private static func routingBody(of record: DocumentRecord, winner: StoredBody?, in snapshot: any StoreSnapshot) throws -> [UInt8] {
        let own = winner?.properties ?? DocumentBody.empty
        guard record.flags.contains(.deleted) else { return own }
        for revision in record.tree.history(of: record.winner, limit: nil, stoppingAt: []).dropFirst() {
            guard record.tree.node(revision)?.isDeleted == false else { continue }
            if let body = try snapshot.body(of: revision, in: record) { return body.properties }
        }
        return own
    }

    /// Adds the document to a tally.
    func count(in tally: inout MoveTally) {
        tally.documents += 1
        if record.flags.contains(.deleted) { tally.tombstones += 1 }
        if record.flags.contains(.conflicted) { tally.conflicts += 1 }
        tally.attachments += attachmentCount
        tally.bytes += body.count
        if tally.examples.count < MoveTally.exampleCount { tally.examples.append(record.id) }
    }
}
