import Documents
public import Storage

/// Moves in steps: each is a small transaction between those of other writers, and the journal goes on where it stopped.
extension Database {
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

    /// Looks at the next documents of the default collection and moves those that a route wants.
    ///
    /// - Returns: the run, advanced, and what the step did; `nil` when there is nothing behind the run's cursor. The run is then done.
    public func moveStep(_ run: MoveRun, limit: Int) async throws -> (run: MoveRun, summary: MoveSummary)? {
        let candidates = try await store.read { try MoveCandidate.read(after: run.cursor, limit: limit, from: $0) }
        guard !candidates.isEmpty else {
            var done = run
            done.state = .done
            done.finished = Timestamp.now
            let final = done
            try await store.write { try $0.updateMoveRun(final) }
            return nil
        }
        let matches = try await matches(for: candidates)
        let database = self
        return try await store.write { transaction in
            var run = run
            var summary = MoveSummary()
            let mover = DocumentMover(database: database, transaction: transaction)
            for (candidate, match) in zip(candidates, matches) {
                guard let key = candidate.record.key, let current = try transaction.document(key) else { continue }
                // Changed since the routes were asked: the next step begins with it.
                guard current.collectionSequence == candidate.record.collectionSequence else { break }
                try database.settle(candidate, match, in: &summary, transaction: transaction) { collection, id in
                    try mover.move(current, to: collection, id: id, run: run.key)
                }
                run.cursor = key
            }
            try transaction.updateMoveRun(run)
            return (run, summary)
        }
    }

    /// What the next step would do, behind `cursor`; `nil` at the end. Nothing is written.
    public func previewStep(after cursor: DocumentKey, limit: Int) async throws -> (cursor: DocumentKey, summary: MoveSummary)? {
        let candidates = try await store.read { try MoveCandidate.read(after: cursor, limit: limit, from: $0) }
        guard let last = candidates.last?.record.key else { return nil }
        let matches = try await matches(for: candidates)
        let database = self
        let summary = try await store.read { snapshot in
            var summary = MoveSummary()
            for (candidate, match) in zip(candidates, matches) {
                try database.settle(candidate, match, in: &summary, transaction: snapshot) { _, _ in }
            }
            return summary
        }
        return (last, summary)
    }

    /// Puts back documents of a run; returns how many, 0 when all are back.
    public func revertStep(_ run: MoveRun, limit: Int) async throws -> Int {
        let misplaced = try await misplacedByRevert(of: run, limit: limit)
        let database = self
        return try await store.write { transaction in
            let moves = try transaction.moves(in: run.key, after: DocumentKey(0), limit: limit)
            let mover = DocumentMover(database: database, transaction: transaction)
            for move in moves { try mover.revert(move, of: run.key, isMisplaced: misplaced.contains(move.document)) }
            var run = run
            run.state = moves.isEmpty ? .reverted : .reverting
            if moves.isEmpty { run.finished = Timestamp.now }
            try transaction.updateMoveRun(run)
            return moves.count
        }
    }

    /// Which of the documents that are put back next the routes want elsewhere. One that is written to just then is judged by what it was
    /// a moment before; its next revision from a legacy client judges it anew.
    private func misplacedByRevert(of run: MoveRun, limit: Int) async throws -> Set<DocumentKey> {
        let found = try await store.read { snapshot in
            try snapshot.moves(in: run.key, after: DocumentKey(0), limit: limit).compactMap { move in
                try snapshot.document(move.document).map { record in
                    let id = record.unifiedID ?? move.fromUnifiedID ?? record.id
                    return (move, try MoveCandidate(record, legacyID: id, in: snapshot))
                }
            }
        }
        let wanted = try await matches(for: found.map(\.1))
        return Set(
            zip(found, wanted).compactMap { found, match in
                guard let match, let collection = collections[match.collection] else { return nil }
                return collection.key == found.0.fromCollection ? nil : found.0.document
            })
    }

    private func matches(for candidates: [MoveCandidate]) async throws -> [RouteMatch?] {
        let writes = candidates.map {
            RevisionWrite(id: $0.legacyID, kind: .edit(parent: nil), isDeleted: false, body: $0.body)
        }
        let verdicts = try await RouteVerdicts.evaluate(writes, in: unified)
        return writes.enumerated().map { index, write in
            routes.match(
                RouteSubject(
                    id: write.id, body: write.body, channels: Channels.ofProperty(in: write.body), verdicts: verdicts[index]))
        }
    }

    /// Counts a candidate, and moves it if a route wants it and its new place is free.
    private func settle(
        _ candidate: MoveCandidate, _ match: RouteMatch?, in summary: inout MoveSummary, transaction: any StoreSnapshot,
        move: (CollectionKey, String) throws -> Void
    ) throws {
        guard let match, let collection = collections[match.collection], collection.key != candidate.record.collection else {
            return candidate.count(in: &summary.unmatched)
        }
        guard try transaction.document(in: collection.key, id: match.id) == nil else {
            return candidate.count(in: &summary.clashes)
        }
        candidate.count(in: &summary.moved[match.collection, default: MoveTally()])
        try move(collection.key, match.id)
    }
}

extension Database {
    /// Documents and tombstones in the default collection.
    public func defaultCollectionSize() async throws -> Int {
        let counts = try await store.read { try $0.counts(.collection(.default)) }
        return Int(counts.live + counts.tombstones)
    }
}
