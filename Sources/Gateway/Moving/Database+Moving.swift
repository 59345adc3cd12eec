public import Storage

/// Moves in steps: each is a small transaction between those of other writers, and the journal goes on where it stopped.
extension Database {
    /// The steps of a run that begins or goes on.
    ///
    /// - Parameter allowsNewGrants: whether documents may give access in their new collections that they do not give already.
    public func moveSteps(of run: MoveRun, allowsNewGrants: Bool = false) -> MoveSteps {
        MoveSteps(database: self, run: run, allowsNewGrants: allowsNewGrants)
    }

    /// The run that goes on with these routes, or a new one.
    ///
    /// - Parameter fingerprint: the routes as text: a run that was interrupted is continued only with the same ones.
    public func beginMoves(fingerprint: String) async throws -> MoveRun {
        try await store.write { transaction in
            if let open = try transaction.moveRuns().last(where: { $0.state == .running && $0.routes == fingerprint }) { return open }
            return try transaction.beginMoveRun(routes: fingerprint)
        }
    }

    /// Every run, in the order in which they began.
    public func moveRuns() async throws -> [MoveRun] {
        try await store.read { try $0.moveRuns() }
    }

    /// What the next step would do, behind `cursor`; `nil` at the end. Nothing is written.
    public func previewStep(
        after cursor: DocumentKey, limit: Int, allowsNewGrants: Bool = false
    ) async throws -> (cursor: DocumentKey, summary: MoveSummary)? {
        let prepared = try await prepareMoves(after: cursor, limit: limit)
        guard let last = prepared.last else { return nil }
        let summary = try await store.read { snapshot in
            var summary = MoveSummary()
            for document in prepared.documents {
                try self.settle(document, allowsNewGrants: allowsNewGrants, in: &summary, transaction: snapshot) { _, _ in }
            }
            return summary
        }
        return (last, summary)
    }

    /// Reads the next documents of the default collection, and asks the routes and the sync functions about them. Nothing is written.
    func prepareMoves(after cursor: DocumentKey, limit: Int) async throws -> PreparedMoves {
        let candidates = try await store.read { try MoveCandidate.read(after: cursor, limit: limit, from: $0) }
        let matches = try await matches(for: candidates)
        let verdicts = try await verdicts(on: candidates, matches)
        return PreparedMoves(
            documents: candidates.indices.map { PreparedMove(candidate: candidates[$0], match: matches[$0], verdict: verdicts[$0]) })
    }

    /// Moves what a route wants, up to the first document that has changed since.
    ///
    /// - Returns: the run, advanced, and what was done.
    func carryOut(_ prepared: PreparedMoves, in run: MoveRun, allowsNewGrants: Bool) async throws -> (run: MoveRun, summary: MoveSummary) {
        let database = self
        return try await store.write { transaction in
            var run = run
            var summary = MoveSummary()
            let mover = DocumentMover(database: database, transaction: transaction)
            for collection in Set(prepared.documents.compactMap { $0.verdict?.collection }) {
                _ = try SyncFunctionRecord(functions: database.syncFunctions, transaction: transaction).note(collection)
            }
            for document in prepared.documents {
                let found = document.candidate.record
                guard let key = found.key, let current = try transaction.document(key) else { continue }
                // Changed since the routes were asked: the next step begins with it.
                guard current.collectionSequence == found.collectionSequence else { break }
                try database.settle(document, allowsNewGrants: allowsNewGrants, in: &summary, transaction: transaction) { verdict, id in
                    try mover.move(current, to: verdict.collection, id: id, run: run.key, verdict: verdict)
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
        let verdicts = try await PredicateResults.evaluate(writes, in: unified)
        return writes.enumerated().map { index, write in
            routes.match(write.id, body: write.body, verdicts: verdicts[index])
        }
    }

    /// What the sync functions of their new collections say of the candidates; `nil` for those that stay.
    private func verdicts(on candidates: [MoveCandidate], _ matches: [RouteMatch?]) async throws -> [ResyncResult?] {
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
        var answers = try await ResyncEvaluator(database: self).judge(cases).makeIterator()
        return places.map { $0 == nil ? nil : answers.next() }
    }

    /// Counts a candidate, and moves it if a route wants it and its new place is free.
    private func settle(
        _ document: PreparedMove, allowsNewGrants: Bool, in summary: inout MoveSummary, transaction: any StoreSnapshot,
        move: (ResyncResult, String) throws -> Void
    ) throws {
        let candidate = document.candidate
        guard let match = document.match, let verdict = document.verdict else { return candidate.count(in: &summary.unmatched) }
        guard try !transaction.isTaken(match.id, in: verdict.collection, besides: candidate.record.unifiedID) else {
            return candidate.count(in: &summary.clashes)
        }
        candidate.count(in: &summary.moved[match.collection, default: MoveTally()])
        if verdict.winner == nil { candidate.count(in: &summary.refused) }
        let limited = try limited(
            verdict, of: candidate.record, allowsNewGrants: allowsNewGrants, in: &summary.sight, snapshot: transaction)
        try countAccessChange(of: candidate.record, by: limited, in: &summary.sight, snapshot: transaction)
        try move(limited, match.id)
    }

    /// Documents and tombstones in the default collection.
    public func defaultCollectionSize() async throws -> Int {
        let counts = try await store.read { try $0.counts(.collection(.default)) }
        return Int(counts.live + counts.tombstones)
    }

    /// Ends a run where it is: what it has moved stays, and a revert puts it back.
    public func endMoves(_ run: MoveRun) async throws {
        var ended = run
        ended.state = .done
        ended.finished = Timestamp.now
        let final = ended
        let database = self
        try await store.write { transaction in
            try transaction.updateMoveRun(final)
            try database.forgetMisplaced(in: transaction)
        }
    }
}

/// Documents that a step is going to move, as they were when the routes and the sync functions were asked.
struct PreparedMoves: Sendable {
    let documents: [PreparedMove]

    /// The last of them; `nil` if there are none, because the collection has no more.
    var last: DocumentKey? { documents.last?.candidate.record.key }
}

/// One of the documents that a step looks at.
struct PreparedMove: Sendable {
    let candidate: MoveCandidate

    /// `nil` if no route wants it.
    let match: RouteMatch?

    /// What the sync function of its new collection says of it; `nil` if it stays.
    let verdict: ResyncResult?
}
