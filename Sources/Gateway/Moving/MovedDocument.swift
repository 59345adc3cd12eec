import Documents
import Storage

/// The current state of a document that a run has moved.
struct MovedDocument: Sendable {
    let move: MoveRecord

    /// The input of the sync function; `nil` if the document was purged.
    let input: ResyncInput?

    /// The input of the routes; `nil` where they need not be evaluated.
    let candidate: MoveCandidate?

    /// Whether the routes certainly want the document where it is: it was not written since these routes placed it there.
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
            (input, candidate, isWhereRoutesWant) = (nil, nil, false)
            return
        }
        let legacyID = record.unifiedID ?? move.fromUnifiedID ?? record.id
        // A move leaves the unified feed's sequence unchanged; every write sets both sequences.
        isWhereRoutesWant = hasSameRoutes && record.sequence.map { $0 < record.collectionSequence } ?? false
        candidate =
            isWhereRoutesWant ? nil : try MoveCandidate(record, winnerBody: moved.winnerBody, legacyID: legacyID, in: snapshot)
        input = try ResyncInput(
            record, winnerBody: moved.winnerBody, in: move.fromCollection, id: move.fromLocalID ?? legacyID, from: snapshot)
    }
}
