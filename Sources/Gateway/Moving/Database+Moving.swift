package import Storage

/// Moves documents in steps: small transactions between those of other writers. The journal resumes at the last position.
extension Database {
    /// The steps of a new or resumed run.
    ///
    /// - Parameter allowsNewGrants: whether documents may make new grants in their new collection.
    package func moveSteps(of run: MoveRun, allowsNewGrants: Bool = false) -> MoveSteps {
        MoveSteps(database: self, run: run, allowsNewGrants: allowsNewGrants)
    }

    /// The interrupted run with these routes, or a new one.
    ///
    /// - Parameter fingerprint: the routes as text: an interrupted run resumes only under the same routes.
    package func beginMoves(fingerprint: String) async throws -> MoveRun {
        try await store.write { try Self.beginMoves(fingerprint: fingerprint, in: $0) }
    }

    static func beginMoves(fingerprint: String, in transaction: any StoreTransaction) throws -> MoveRun {
        if let open = try transaction.moveRuns().last(where: { $0.state == .running && $0.routes == fingerprint }) { return open }
        return try transaction.beginMoveRun(routes: fingerprint)
    }

    /// All runs in the order of their start.
    package func moveRuns() async throws -> [MoveRun] {
        try await store.read { try $0.moveRuns() }
    }

    /// Previews the step after `cursor`; `nil` at the end. Nothing is written.
    package func previewStep(
        after cursor: DocumentKey, limit: Int, allowsNewGrants: Bool = false
    ) async throws -> (cursor: DocumentKey, summary: MoveSummary)? {
        let prepared = try await prepareMoves(after: cursor, limit: limit)
        guard let last = prepared.last else { return nil }
        let summary = try await store.read { snapshot in
            var summary = MoveSummary()
            for document in prepared.documents {
                try self.countAndMove(document, allowsNewGrants: allowsNewGrants, in: &summary, transaction: snapshot) { _, _ in }
            }
            return summary
        }
        return (last, summary)
    }

    /// Reads the next documents of the default collection, and evaluates the routes and the sync functions. Nothing is written.
    func prepareMoves(after cursor: DocumentKey, limit: Int) async throws -> PreparedMoves {
        let candidates = try await store.read { try MoveCandidate.read(after: cursor, limit: limit, from: $0) }
        let matches = try await matches(for: candidates)
        let results = try await syncResults(for: candidates, matches)
        return PreparedMoves(
            documents: candidates.indices.map { PreparedMove(candidate: candidates[$0], match: matches[$0], result: results[$0]) })
    }

    /// Moves the documents that match a route, up to the first document that has changed since the preparation.
    ///
    /// - Returns: the advanced run, and the counts of this step.
    func carryOut(_ prepared: PreparedMoves, in run: MoveRun, allowsNewGrants: Bool) async throws -> (run: MoveRun, summary: MoveSummary) {
        let database = self
        return try await store.write { transaction in
            var run = run
            var summary = MoveSummary()
            let mover = DocumentMover(database: database, transaction: transaction)
            for collection in Set(prepared.documents.compactMap { $0.result?.collection }) {
                _ = try SyncFunctionRecord(functions: database.syncFunctions, transaction: transaction).record(collection)
            }
            for document in prepared.documents {
                let found = document.candidate.record
                guard let key = found.key, let current = try transaction.document(key) else { continue }
                // Changed since the routes were evaluated: the next step starts with this document.
                guard current.collectionSequence == found.collectionSequence else { break }
                try database.countAndMove(document, allowsNewGrants: allowsNewGrants, in: &summary, transaction: transaction) {
                    result, id in
                    try mover.move(current, to: result.collection, id: id, run: run.key, result: result)
                }
                run.cursor = key
            }
            try transaction.updateMoveRun(run)
            return (run, summary)
        }
    }

    func matches(for candidates: [MoveCandidate]) async throws -> [RouteMatch?] {
        let writes = candidates.map {
            RevisionWrite(id: $0.legacyID, kind: .edit(parent: nil), isDeleted: false, body: $0.body)
        }
        let predicateResults = try await PredicateResults.evaluate(writes, in: unified)
        return writes.enumerated().map { index, write in
            routes.match(write.id, body: write.body, predicateResults: predicateResults[index])
        }
    }

    /// The results of the sync functions of the target collections; `nil` for candidates that stay.
    private func syncResults(for candidates: [MoveCandidate], _ matches: [RouteMatch?]) async throws -> [ResyncResult?] {
        let places = zip(candidates, matches).map { candidate, match -> (CollectionKey, String)? in
            guard let match, let key = collections[match.collection]?.key, key != candidate.record.collection else { return nil }
            return (key, match.id)
        }
        let cases = try await store.read { snapshot in
            try zip(candidates, places).compactMap { candidate, place in
                try place.map { key, id in
                    try ResyncInput(candidate.record, winnerBody: candidate.winnerBody, in: key, id: id, from: snapshot)
                }
            }
        }
        var answers = try await ResyncEvaluator(database: self).evaluate(cases).makeIterator()
        return places.map { $0 == nil ? nil : answers.next() }
    }

    /// Counts a candidate, and moves it if a route matches and the target ID is free.
    private func countAndMove(
        _ document: PreparedMove, allowsNewGrants: Bool, in summary: inout MoveSummary, transaction: any StoreSnapshot,
        move: (ResyncResult, String) throws -> Void
    ) throws {
        let candidate = document.candidate
        guard let match = document.match, let result = document.result else { return candidate.count(in: &summary.unmatched) }
        guard try !transaction.isTaken(match.id, in: result.collection, besides: candidate.record.unifiedID) else {
            return candidate.count(in: &summary.clashes)
        }
        candidate.count(in: &summary.moved[match.collection, default: MoveTally()])
        if result.winner == nil { candidate.count(in: &summary.refused) }
        let limited = try limited(
            result, of: candidate.record, allowsNewGrants: allowsNewGrants, in: &summary.sight, snapshot: transaction)
        try countAccessChange(of: candidate.record, by: limited, in: &summary.sight, snapshot: transaction)
        try move(limited, match.id)
    }

    /// The number of documents and tombstones in the default collection.
    package func defaultCollectionSize() async throws -> Int {
        let counts = try await store.read { try $0.counts(.collection(.default)) }
        return Int(counts.live + counts.tombstones)
    }

    /// Ends a run at its current position. Moved documents stay moved; a revert moves them back.
    package func endMoves(_ run: MoveRun) async throws {
        var ended = run
        ended.state = .done
        ended.finished = Timestamp.now
        let final = ended
        let database = self
        try await store.write { transaction in
            try transaction.updateMoveRun(final)
            try MoveOrder.withdraw(of: final, in: transaction)
            try database.forgetMisplaced(in: transaction)
        }
    }
}

/// The documents of a step, as they were when the routes and the sync functions were evaluated.
struct PreparedMoves: Sendable {
    let documents: [PreparedMove]

    /// The key of the last document; `nil` if the collection has no more.
    var last: DocumentKey? { documents.last?.candidate.record.key }
}

/// One document of a step.
struct PreparedMove: Sendable {
    let candidate: MoveCandidate

    /// `nil` if no route matches.
    let match: RouteMatch?

    /// The result of the target collection's sync function; `nil` if the document stays.
    let result: ResyncResult?
}
