package import Storage

/// Reverts runs of moves in steps.
extension Database {
    /// The steps that move back the documents of a run.
    package func revertSteps(of run: MoveRun) -> RevertSteps { RevertSteps(database: self, run: run) }

    /// Reads the next documents of a run, and evaluates the routes and the sync functions. Nothing is written.
    func prepareReverts(of run: MoveRun, after cursor: DocumentKey, limit: Int) async throws -> PreparedReverts {
        let hasSameRoutes = run.routes == routesFingerprint
        let moved = try await store.read {
            try MovedDocument.read(movedBy: run, after: cursor, limit: limit, hasSameRoutes: hasSameRoutes, from: $0)
        }
        let misplaced = try await misplaced(moved)
        var results = try await ResyncEvaluator(database: self).evaluate(moved.compactMap(\.input)).makeIterator()
        return PreparedReverts(
            cursor: cursor,
            documents: moved.map { document in
                PreparedRevert(
                    move: document.move, input: document.input, result: document.input.flatMap { _ in results.next() },
                    isMisplaced: misplaced.contains(document.move.document))
            })
    }

    /// Previews the step of a revert after `cursor`; `nil` at the end. Nothing is written.
    package func previewRevert(
        of run: MoveRun, after cursor: DocumentKey, limit: Int
    ) async throws -> (cursor: DocumentKey, summary: RevertSummary)? {
        let prepared = try await prepareReverts(of: run, after: cursor, limit: limit)
        guard let last = prepared.last else { return nil }
        let summary = try await store.read { snapshot in
            var summary = RevertSummary()
            for document in prepared.documents {
                summary.documents += 1
                guard let record = document.input?.record, let result = document.result else { continue }
                if result.winner == nil { summary.refused += 1 }
                try self.countAccessChange(of: record, by: result, in: &summary.sight, snapshot: snapshot)
            }
            return summary
        }
        return (last, summary)
    }

    /// Moves back the documents that have not changed since the sync function was evaluated; a later step handles the others.
    func carryOut(_ prepared: PreparedReverts, of run: MoveRun) async throws -> RevertSummary {
        let database = self
        return try await store.write { transaction in
            let mover = DocumentMover(database: database, transaction: transaction)
            var summary = RevertSummary()
            var left: [DocumentKey] = []
            for document in prepared.documents {
                // A purged document needs no revert.
                if let current = try transaction.document(document.move.document) {
                    guard let result = document.result, current.collectionSequence == document.input?.record.collectionSequence else {
                        left.append(document.move.document)
                        continue
                    }
                    try database.countAccessChange(of: current, by: result, in: &summary.sight, snapshot: transaction)
                    try mover.revert(current, as: document.move, isMisplaced: document.isMisplaced, result: result)
                    if result.winner == nil { summary.refused += 1 }
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

    /// Ends a run whose documents are all moved back.
    func endReverts(of run: MoveRun) async throws {
        var ended = run
        ended.state = .reverted
        ended.finished = Timestamp.now
        let final = ended
        let database = self
        try await store.write { transaction in
            try transaction.updateMoveRun(final)
            try MoveOrder.withdraw(of: final, in: transaction)
            try database.forgetMisplaced(in: transaction)
        }
    }

    /// The documents that the routes want in another collection than the one they are moved back to.
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

/// The documents of a step, as they were when the sync functions were evaluated.
struct PreparedReverts: Sendable {
    /// The document in the journal after which the step starts.
    let cursor: DocumentKey
    let documents: [PreparedRevert]

    /// The key of the last document; `nil` if the journal has no more.
    var last: DocumentKey? { documents.last?.move.document }
}

/// One document of a step.
struct PreparedRevert: Sendable {
    let move: MoveRecord

    /// The document as read; `nil` if it was purged.
    let input: ResyncInput?

    /// The result of the sync function of the collection to which it is moved back.
    let result: ResyncResult?

    /// Whether the routes want it in another collection, which holds while the routes are unchanged.
    let isMisplaced: Bool
}
