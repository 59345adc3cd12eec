public import Storage

/// Undoes runs in steps, as they were made.
extension Database {
    /// The steps that put back what a run has moved.
    public func revertSteps(of run: MoveRun) -> RevertSteps { RevertSteps(database: self, run: run) }

    /// Reads the next documents that a run has moved, and asks the routes and the sync functions about them. Nothing is written.
    func prepareReverts(of run: MoveRun, after cursor: DocumentKey, limit: Int) async throws -> PreparedReverts {
        let hasSameRoutes = run.routes == routesFingerprint
        let moved = try await store.read {
            try MovedDocument.read(movedBy: run, after: cursor, limit: limit, hasSameRoutes: hasSameRoutes, from: $0)
        }
        let misplaced = try await misplaced(moved)
        var verdicts = try await ResyncEvaluator(database: self).judge(moved.compactMap(\.standing)).makeIterator()
        return PreparedReverts(
            cursor: cursor,
            documents: moved.map { document in
                PreparedRevert(
                    move: document.move, standing: document.standing, verdict: document.standing.flatMap { _ in verdicts.next() },
                    isMisplaced: misplaced.contains(document.move.document))
            })
    }

    /// What a step of a revert would do with the next documents, behind `cursor`; `nil` at the end. Nothing is written.
    public func previewRevert(
        of run: MoveRun, after cursor: DocumentKey, limit: Int
    ) async throws -> (cursor: DocumentKey, summary: RevertSummary)? {
        let prepared = try await prepareReverts(of: run, after: cursor, limit: limit)
        guard let last = prepared.last else { return nil }
        let summary = try await store.read { snapshot in
            var summary = RevertSummary()
            for document in prepared.documents {
                summary.documents += 1
                guard let record = document.standing?.record, let verdict = document.verdict else { continue }
                if verdict.winner == nil { summary.refused += 1 }
                try self.countAccessChange(of: record, by: verdict, in: &summary.sight, snapshot: snapshot)
            }
            return summary
        }
        return (last, summary)
    }

    /// Puts back what has not changed since the sync function was asked; a later step takes the rest.
    func carryOut(_ prepared: PreparedReverts, of run: MoveRun) async throws -> RevertSummary {
        let database = self
        return try await store.write { transaction in
            let mover = DocumentMover(database: database, transaction: transaction)
            var summary = RevertSummary()
            var left: [DocumentKey] = []
            for document in prepared.documents {
                // One that was purged has nothing to put back.
                if let current = try transaction.document(document.move.document) {
                    guard let verdict = document.verdict, current.collectionSequence == document.standing?.record.collectionSequence else {
                        left.append(document.move.document)
                        continue
                    }
                    try database.countAccessChange(of: current, by: verdict, in: &summary.sight, snapshot: transaction)
                    try mover.revert(current, as: document.move, isMisplaced: document.isMisplaced, verdict: verdict)
                    if verdict.winner == nil { summary.refused += 1 }
                }
                summary.documents += 1
            }
            if let last = prepared.last { try transaction.forgetMoves(in: run.key, after: prepared.cursor, upTo: last, but: left) }
            var run = run
            run.state = .reverting
            try transaction.updateMoveRun(run)
            return summary
        }
    }

    /// Ends a run of which everything is back.
    func endReverts(of run: MoveRun) async throws {
        var ended = run
        ended.state = .reverted
        ended.finished = Timestamp.now
        let final = ended
        let database = self
        try await store.write { transaction in
            try transaction.updateMoveRun(final)
            try database.forgetMisplaced(in: transaction)
        }
    }

    /// Which of the documents the routes want elsewhere than where they go back to.
    private func misplaced(_ moved: [MovedDocument]) async throws -> Set<DocumentKey> {
        let asked = moved.compactMap { document in document.candidate.map { (document.move, $0) } }
        let wanted = try await matches(for: asked.map(\.1))
        let found = zip(asked, wanted).compactMap { asked, match -> DocumentKey? in
            guard let match, let collection = collections[match.collection] else { return nil }
            return collection.key == asked.0.fromCollection ? nil : asked.0.document
        }
        return Set(found).union(moved.filter(\.isWhereRoutesWant).map(\.move.document))
    }
}

/// Documents that a step is going to put back, as they were when the sync functions were asked.
struct PreparedReverts: Sendable {
    /// The document in the journal behind which they begin.
    let cursor: DocumentKey
    let documents: [PreparedRevert]

    /// The last of them; `nil` if there are none, because the journal has no more behind the cursor.
    var last: DocumentKey? { documents.last?.move.document }
}

/// One of the documents that a step puts back.
struct PreparedRevert: Sendable {
    let move: MoveRecord

    /// The document as it was read; `nil` if it was purged.
    let standing: ResyncInput?

    /// What the sync function of the collection to which it goes back says of it.
    let verdict: ResyncResult?

    /// Whether the routes want it elsewhere, as they do unless they were changed.
    let isMisplaced: Bool
}
