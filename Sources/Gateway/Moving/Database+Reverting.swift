import Documents
public import Storage

extension Database {
    /// Puts back documents of a run.
    ///
    /// - Returns: what was put back, which may be nothing if others are writing to the next ones; `nil` when all are back.
    public func revertStep(_ run: MoveRun, limit: Int) async throws -> RevertSummary? {
        let moves = try await store.read { try $0.moves(in: run.key, after: DocumentKey(0), limit: limit) }
        guard !moves.isEmpty else {
            var done = run
            done.state = .reverted
            done.finished = Timestamp.now
            let final = done
            try await store.write { try $0.updateMoveRun(final) }
            return nil
        }
        let found = try await documents(of: moves)
        let misplaced = try await misplacedByRevert(found)
        let cases = try await store.read { snapshot in
            try found.map { move, candidate in
                try StandingCase(
                    candidate.record, winnerBody: candidate.winnerBody, in: move.fromCollection, id: move.fromLocalID ?? candidate.legacyID,
                    from: snapshot)
            }
        }
        let answers = try await StandingJudge(database: self).judge(cases)
        let verdicts = Dictionary(
            zip(found, zip(cases, answers)).map { ($0.0.document, (sequence: $1.0.record.collectionSequence, verdict: $1.1)) },
            uniquingKeysWith: { first, _ in first })
        let database = self
        return try await store.write { transaction in
            let mover = DocumentMover(database: database, transaction: transaction)
            var summary = RevertSummary()
            for move in moves {
                guard let document = try transaction.document(move.document) else {
                    // Purged since: nothing to put back.
                    try transaction.forgetMove(of: move.document, in: run.key)
                    summary.documents += 1
                    continue
                }
                // Changed since the sync function was asked: a later step puts it back.
                guard let (sequence, verdict) = verdicts[move.document], sequence == document.collectionSequence else { continue }
                try mover.revert(
                    document, as: move, of: run.key, isMisplaced: misplaced.contains(move.document), verdict: verdict)
                summary.documents += 1
                if verdict.winner == nil { summary.refused += 1 }
            }
            var run = run
            run.state = .reverting
            try transaction.updateMoveRun(run)
            return summary
        }
    }

    private func documents(of moves: [MoveRecord]) async throws -> [(MoveRecord, MoveCandidate)] {
        try await store.read { snapshot in
            try moves.compactMap { move in
                try snapshot.document(move.document).map { record in
                    let id = record.unifiedID ?? move.fromUnifiedID ?? record.id
                    return (move, try MoveCandidate(record, legacyID: id, in: snapshot))
                }
            }
        }
    }

    /// Which of the documents that are put back next the routes want elsewhere.
    private func misplacedByRevert(_ found: [(MoveRecord, MoveCandidate)]) async throws -> Set<DocumentKey> {
        let wanted = try await matches(for: found.map(\.1))
        return Set(
            zip(found, wanted).compactMap { found, match in
                guard let match, let collection = collections[match.collection] else { return nil }
                return collection.key == found.0.fromCollection ? nil : found.0.document
            })
    }
}
