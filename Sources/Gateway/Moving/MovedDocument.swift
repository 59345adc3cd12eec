import Documents
import Storage

/// A document that a run has moved, as it is now.
struct MovedDocument: Sendable {
    let move: MoveRecord

    /// What the sync function is asked about; `nil` if the document was purged.
    let standing: StandingCase?

    /// What the routes are asked about; `nil` where they need not be asked.
    let candidate: MoveCandidate?

    /// Nothing was written to it since these routes wanted it where it is, so they want it there still.
    let isWhereRoutesWant: Bool

    /// - Parameter hasSameRoutes: Whether the routes are those of the run.
    init(_ moved: (move: MoveRecord, document: DocumentRecord?), hasSameRoutes: Bool, in snapshot: any StoreSnapshot) throws {
        move = moved.move
        guard let record = moved.document else {
            (standing, candidate, isWhereRoutesWant) = (nil, nil, false)
            return
        }
        let legacyID = record.unifiedID ?? move.fromUnifiedID ?? record.id
        // A move leaves the place in the unified feed behind; every write brings the two together.
        isWhereRoutesWant = hasSameRoutes && record.sequence.map { $0 < record.collectionSequence } ?? false
        candidate = isWhereRoutesWant ? nil : try MoveCandidate(record, legacyID: legacyID, in: snapshot)
        let body = try candidate.map(\.winnerBody) ?? snapshot.body(of: record.winner, in: record)
        standing = try StandingCase(
            record, winnerBody: body, in: move.fromCollection, id: move.fromLocalID ?? legacyID, from: snapshot)
    }
}
