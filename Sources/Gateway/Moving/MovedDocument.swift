import Documents
import Storage

/// A document that a run has moved, as it is now.
struct MovedDocument: Sendable {
    let move: MoveRecord

    /// What the sync function is asked about; `nil` if the document was purged.
    let standing: ResyncInput?

    /// What the routes are asked about; `nil` where they need not be asked.
    let candidate: MoveCandidate?

    /// Nothing was written to it since these routes wanted it where it is, so they want it there still.
    let isWhereRoutesWant: Bool

    /// Reads the next documents of a run's journal.
    ///
    /// - Parameter hasSameRoutes: Whether the routes are those of the run.
    static func read(
        movedBy run: MoveRun, after cursor: DocumentKey, limit: Int, hasSameRoutes: Bool, from snapshot: any StoreSnapshot
    ) throws -> [MovedDocument] {
        var documents: [MovedDocument] = []
        var bytes = 0
        try snapshot.movedDocuments(in: run.key, after: cursor, limit: limit) { moved in
            documents.append(try MovedDocument(moved, hasSameRoutes: hasSameRoutes, in: snapshot))
            bytes += moved.winnerBody?.properties.count ?? 0
            return bytes < StepSize.bytes
        }
        return documents
    }

    private init(_ moved: MovedDocumentRecord, hasSameRoutes: Bool, in snapshot: any StoreSnapshot) throws {
        move = moved.move
        guard let record = moved.document else {
            (standing, candidate, isWhereRoutesWant) = (nil, nil, false)
            return
        }
        let legacyID = record.unifiedID ?? move.fromUnifiedID ?? record.id
        // A move leaves the place in the unified feed behind; every write brings the two together.
        isWhereRoutesWant = hasSameRoutes && record.sequence.map { $0 < record.collectionSequence } ?? false
        candidate =
            isWhereRoutesWant ? nil : try MoveCandidate(record, winnerBody: moved.winnerBody, legacyID: legacyID, in: snapshot)
        standing = try ResyncInput(
            record, winnerBody: moved.winnerBody, in: move.fromCollection, id: move.fromLocalID ?? legacyID, from: snapshot)
    }
}
