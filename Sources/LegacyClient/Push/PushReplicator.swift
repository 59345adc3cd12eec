import Coordination
import Documents
import Gateway
import NIOHTTP1
import Storage
import Telemetry

/// One run of a push: reads the local feed, asks which revisions the server lacks, and sends them.
actor PushReplicator {
    /// Rows of the local feed, and the position after them.
    struct Batch: Sendable {
        let rows: [ChangeRow]
        let position: FeedPosition
        let ticket: Int
    }

    private let keyspace: Keyspace
    private let remote: RemoteDatabase
    private let limits: ReplicationLimits
    private let keeper: CheckpointKeeper
    private let isContinuous: Bool
    private let sender: RevisionSender
    private let report: @Sendable (ReplicationEvent) -> Void

    private var ledger = SequenceLedger<FeedPosition>()
    private var underway = 0
    private var isCaughtUp = false

    /// The error because of which some revision has to be sent again.
    private var unfinished: ReplicationError?

    init(
        keyspace: Keyspace, remote: RemoteDatabase, keeper: CheckpointKeeper, isContinuous: Bool,
        report: @escaping @Sendable (ReplicationEvent) -> Void
    ) {
        self.keyspace = keyspace
        self.remote = remote
        self.keeper = keeper
        self.isContinuous = isContinuous
        self.report = report
        limits = remote.limits
        sender = RevisionSender(keyspace: keyspace, remote: remote, limits: remote.limits)
    }

    /// Pushes until the feed ends. A continuous feed does not end.
    ///
    /// - Throws: ``ReplicationError``; `CancellationError`.
    func run(since: String?) async throws {
        if remote.settings.createTarget { try await createTarget() }
        try await sender.loadSingleBranchRecord()
        let filter = try chosenFilter()
        let start = since.flatMap { FeedPosition($0) } ?? .zero
        do {
            try await Pipeline.run(workers: max(1, limits.concurrency / 2), batch: 1, until: remote.stopSignal) { queue in
                try await self.readFeed(since: start, into: queue)
            } work: { batches in
                for batch in batches {
                    try await ReplicationBatch.legacyPush.traced(revisions: batch.rows.count) { try await self.push(batch, filter) }
                }
            }
        } catch {
            await advanceCheckpoint()
            throw error
        }
        await advanceCheckpoint()
        if let unfinished { throw unfinished }
    }

    private func createTarget() async throws {
        do {
            _ = try await remote.json(RemoteRequest("", method: .PUT))
        } catch let error as ReplicationError where error.code == .preconditionFailed || error.code == .methodNotAllowed {
            // The database already exists.
            return
        }
    }

    private func chosenFilter() throws -> PushFilter? {
        guard let name = remote.settings.filter else { return nil }
        guard let filter = remote.settings.pushFilters[name] else {
            throw ReplicationError(.callback, "There is no push filter named \(name): define it before the replication is started")
        }
        return filter
    }

    private nonisolated func readFeed(since: FeedPosition, into queue: PipelineQueue<Batch>) async throws {
        var commits = keyspace.follow().makeAsyncIterator()
        let passed = await keeper.passed
        var query = ChangesQuery()
        query.since = since
        query.limit = limits.batch
        query.allLeaves = true
        query.documentIDs = remote.settings.documentIDs.map { Set($0.map { ExactString($0) }) }
        while true {
            let changes: ChangesBatch
            do {
                changes = try await keyspace.changes(query)
            } catch {
                throw ReplicationError(local: error)
            }
            query.since = changes.position
            let rows = try await rows(of: changes).filter { !passed.contains($0.sequence.value) }
            if let batch = await makeBatch(rows, upTo: changes.position) { try await queue.add([batch]) }
            guard changes.isCaughtUp else { continue }
            try await catchUp()
            guard isContinuous, await commits.next() != nil else { return }
        }
    }

    /// The rows to offer to the server. Rows that upstream's own feed has shown in their current state are excluded: they came from there, or are
    /// there already.
    private nonisolated func rows(of changes: ChangesBatch) async throws -> [ChangeRow] {
        let rows = changes.rows.filter { !$0.isRemoval && !$0.id.hasPrefix("_") }
        guard remote.settings.isUpstream else { return rows }
        do {
            let shown = try await keyspace.shownUpstream(rows.map(\.sequence), in: remote.url.base)
            return rows.filter { !shown.contains($0.sequence) }
        } catch {
            throw ReplicationError(local: error)
        }
    }

    private func makeBatch(_ rows: [ChangeRow], upTo position: FeedPosition) async -> Batch? {
        let ticket = ledger.add(position, open: rows.isEmpty ? 0 : 1)
        guard !rows.isEmpty else {
            await advanceCheckpoint()
            return nil
        }
        underway += 1
        report(.transfers(true))
        return Batch(rows: rows, position: position, ticket: ticket)
    }

    private func catchUp() async throws {
        isCaughtUp = true
        try await checkIdle()
    }

    private func push(_ batch: Batch, _ filter: PushFilter?) async throws {
        let report = report
        try await keeper.checkServer()
        let outcomes = try await sender.send(batch.rows, filter: filter) { report($0) }
        await keeper.record(accepted: outcomes.accepted, upTo: batch.position)
        var error = outcomes.unfinished
        do {
            // Parked revisions must be durable before the checkpoint passes them.
            try await remote.settings.parking?.note(outcomes.parkingOutcomes, in: keyspace)
        } catch let failure {
            error = ReplicationError(local: failure)
        }
        underway -= 1
        if let error {
            // The checkpoint stays before the batch.
            unfinished = error
            report(.failed(error))
        } else {
            ledger.complete(batch.ticket)
        }
        await advanceCheckpoint()
        try await checkIdle()
    }

    private func advanceCheckpoint() async {
        guard let position = ledger.position else { return }
        await keeper.advance(to: position.description)
        report(.reached(position.description))
    }

    /// When all changes are done, reports that the replication is idle, or throws the error of a failed revision to begin a new run.
    private func checkIdle() async throws {
        guard isCaughtUp, underway == 0, isContinuous else { return }
        if let unfinished { throw unfinished }
        report(.progress(bytes: remote.takeBytes()))
        report(.transfers(false))
        await keeper.save()
    }
}
