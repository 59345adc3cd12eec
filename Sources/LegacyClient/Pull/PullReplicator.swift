import Coordination
import Documents
import Gateway
import Storage
import Telemetry

/// One run of a pull: reads the server's feed, fetches the revisions that are missing here, and advances the checkpoint.
actor PullReplicator {
    private let keyspace: Keyspace
    private let remote: RemoteDatabase
    private let limits: ReplicationLimits
    private let keeper: CheckpointKeeper
    private let isContinuous: Bool
    private let fetcher: RevisionFetcher
    private let report: @Sendable (ReplicationEvent) -> Void

    private var ledger = SequenceLedger<OpaqueSequence>()

    /// Rows of the legacy upstream's feed that are not yet recorded.
    private var shown = PendingUpstreamRows()

    /// The tickets of the changes that announced each revision being fetched.
    private var underway: [Key: [Int]] = [:]

    /// The place of the next requested revision.
    private var nextPlace = 0
    private var isCaughtUp = false

    /// The recorded end of the legacy upstream's feed: all changes up to it are done.
    private var recordedEnd: String?

    /// The number of recordings in progress, and whether the idle check was postponed because of them.
    private var recordingsUnderway = 0
    private var needsIdleCheck = false

    /// The position up to which the feed was read.
    private var announced: OpaqueSequence?

    /// The error because of which some revision has to be tried again.
    private var unfinished: ReplicationError?

    /// The maximum number of characters kept of an invalid revision ID.
    private static let revisionLength = 200

    private struct Key: Hashable {
        let id: ExactString
        let revision: RevisionID
    }

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
        fetcher = RevisionFetcher(keyspace: keyspace, remote: remote, limits: remote.limits)
    }

    /// Pulls until the feed ends. A continuous feed does not end.
    ///
    /// - Throws: ``ReplicationError``; `CancellationError`.
    func run(since: String?) async throws {
        let since = since.map { OpaqueSequence($0) }
        do {
            if let source { try await keyspace.beginUpstreamFeed(of: source, since: since.map { UpstreamSequence($0.text) }) }
        } catch {
            throw ReplicationError(local: error)
        }
        do {
            try await Pipeline.run(workers: limits.concurrency, batch: limits.batch, until: remote.stopSignal) { queue in
                try await self.readFeed(since: since, into: queue)
            } size: { [fetcher] in
                await fetcher.batch
            } work: { wanted in
                try await ReplicationBatch.legacyPull.traced(revisions: wanted.count) { try await self.fetch(wanted) }
            }
        } catch {
            // Revisions that are next in the feed's order are complete and can be written.
            try? await fetcher.flush { outcomes in await self.record(outcomes) }
            await advanceCheckpoint()
            throw error
        }
        await advanceCheckpoint()
        if let unfinished { throw unfinished }
    }

    /// The name of the legacy upstream's feed; `nil` for other servers.
    private nonisolated var source: String? { remote.settings.isUpstream ? remote.url.base : nil }

    private nonisolated func readFeed(since: OpaqueSequence?, into queue: PipelineQueue<MissingRevision>) async throws {
        var feed = RemoteChangesFeed(remote: remote, since: since, isContinuous: isContinuous) { [keeper] since, isLost in
            try await keeper.checkServer(read: since, isLost: isLost)
        }
        while let event = try await feed.next() {
            switch event {
            case .caughtUp: try await catchUp()
            case .interrupted(let error): report(.interrupted(error))
            case .resumed: report(.resumed)
            case .changes(let changes):
                let wanted = try await missing(in: changes)
                guard !wanted.isEmpty else { continue }
                feed.recordNews()
                try await queue.add(wanted)
            }
        }
    }

    /// Adds the changes to the ledger and returns the revisions that have to be fetched.
    private func missing(in changes: [RemoteRow]) async throws -> [MissingRevision] {
        let asked = changes.map { change in
            // Documents whose IDs begin with `_` (users, design documents) belong to the server; a database here cannot store them.
            (id: change.id, revisions: change.id.hasPrefix("_") ? [] : change.revisions.compactMap { RevisionID($0) })
        }
        let found: [(id: String, difference: RevisionsDifference)]
        var places: [UpstreamPlace] = []
        do {
            if let source { places = try await keyspace.upstreamPlaces(of: changes.map { UpstreamSequence($0.sequence.text) }, in: source) }
            found = try await keyspace.difference(asked.filter { !$0.revisions.isEmpty })
            try await parkUnreadable(changes)
        } catch {
            throw ReplicationError(local: error)
        }
        announced = changes.last?.sequence ?? announced
        await keeper.record(
            announced: zip(changes, asked).flatMap { change, asked in
                change.isLoss ? [] : asked.revisions.map { LocalRevisionReader.Leaf(id: asked.id, revision: $0) }
            })
        var differences = found[...]
        var wanted: [MissingRevision] = []
        var known = 0
        for (index, (change, asked)) in zip(changes, asked).enumerated() {
            var missing: [RevisionID] = []
            var ancestors: [RevisionID] = []
            // The differences are in the order of the request, without documents that lack no revision.
            if let next = differences.first, next.id.utf8.elementsEqual(change.id.utf8),
                next.difference.missing.allSatisfy(asked.revisions.contains)
            {
                missing = next.difference.missing
                ancestors = Array(next.difference.possibleAncestors.prefix(limits.ancestors))
                differences.removeFirst()
            }
            known += asked.revisions.count - missing.count
            let isRecorded = index < places.count && !asked.revisions.isEmpty
            // The row itself is one more part, done when it is recorded.
            let ticket = ledger.add(change.sequence, open: missing.count + (isRecorded ? 1 : 0))
            if isRecorded {
                shown.add(
                    UpstreamRow(id: change.id, leaves: asked.revisions, place: places[index]), ticket: ticket, open: missing.count)
            }
            for revision in missing {
                let key = Key(id: ExactString(change.id), revision: revision)
                underway[key, default: []].append(ticket)
                guard underway[key]?.count == 1 else { continue }
                wanted.append(
                    MissingRevision(
                        id: change.id, revision: revision, isDeleted: change.isDeleted, ancestors: ancestors, ticket: ticket,
                        place: nextPlace)
                )
                nextPlace += 1
            }
        }
        // Report this first: the counts are reset when a new transfer begins.
        if !wanted.isEmpty { report(.transfers(true)) }
        report(.progress(completed: known, total: known + wanted.count, checked: changes.count, bytes: remote.takeBytes()))
        await recordProgress()
        if needsIdleCheck { try await checkIdle() }
        return wanted
    }

    private func catchUp() async throws {
        isCaughtUp = true
        try await checkIdle()
    }

    private func fetch(_ wanted: [MissingRevision]) async throws {
        try await fetcher.fetch(wanted) { outcomes in await self.record(outcomes) }
        try await checkIdle()
    }

    /// Records fetched revisions. Both the stored revisions and the parked errors are durable at this point.
    private func record(_ outcomes: [RevisionFetcher.Outcome]) async {
        var failure = await regression(behind: outcomes)
        if failure == nil { failure = await park(outcomes) }
        var documents: [DocumentTransfer] = []
        for (wanted, refusal) in outcomes {
            let error = refusal ?? failure
            documents.append(
                DocumentTransfer(id: wanted.id, revision: wanted.revision, isDeleted: wanted.isDeleted, error: error))
            let tickets = underway.removeValue(forKey: Key(id: ExactString(wanted.id), revision: wanted.revision)) ?? []
            if let error, error.isTransient || failure != nil {
                // The checkpoint stays before this change.
                unfinished = error
                report(.failed(error))
            } else {
                for ticket in tickets {
                    ledger.complete(ticket)
                    shown.complete(ticket)
                }
            }
        }
        report(.progress(completed: outcomes.count, bytes: remote.takeBytes()))
        report(.documents(documents))
        await recordProgress()
    }

    /// Records the progress. The replication is not idle before this is done.
    private func recordProgress() async {
        recordingsUnderway += 1
        await recordUpstreamShown()
        // A concurrent recording may have completed the entries that this one was waiting for.
        if source != nil, ledger.position?.text != recordedEnd { await recordUpstreamShown() }
        await advanceCheckpoint()
        recordingsUnderway -= 1
    }

    /// Parks revisions with invalid IDs. Such revisions cannot be requested.
    private func parkUnreadable(_ changes: [RemoteRow]) async throws {
        let refusals = changes.filter { !$0.id.hasPrefix("_") }.flatMap { change in
            change.revisions.filter { RevisionID($0) == nil }.map { revision in
                ParkingOutcome(
                    .pull, id: change.id, revision: String(revision.prefix(Self.revisionLength)),
                    refusal: .init(
                        ReplicationError(.badRequest, "Its revision ID is malformed: it has to be a number, a dash and a digest")))
            }
        }
        if !refusals.isEmpty { try await remote.settings.parking?.note(refusals, in: keyspace) }
    }

    /// Checks a server that has announced a revision and does not have it. The server may have been restored from a backup in between, and would
    /// assign the same sequence of its feed to another change.
    ///
    /// - Returns: The error if the server was restored or the check failed; `nil` if the server has lost nothing.
    private func regression(behind outcomes: [RevisionFetcher.Outcome]) async -> ReplicationError? {
        guard outcomes.contains(where: { $0.error?.code == .notFound && $0.error?.origin != .intermediary }) else { return nil }
        do {
            try await keeper.checkServer(read: announced, isLost: true)
            return nil
        } catch {
            return error as? ReplicationError ?? ReplicationError(local: error)
        }
    }

    /// - Returns: The error if the parked revisions cannot be stored.
    private func park(_ outcomes: [RevisionFetcher.Outcome]) async -> ReplicationError? {
        do {
            try await remote.settings.parking?.note(RevisionFetcher.parkingOutcomes(outcomes), in: keyspace)
            return nil
        } catch {
            return ReplicationError(local: error)
        }
    }

    /// Records the completed rows of upstream's feed. The checkpoint does not pass them before they are durable.
    private func recordUpstreamShown() async {
        let ready = shown.takeReady()
        var ledger = ledger
        for (ticket, _) in ready { ledger.complete(ticket) }
        let end = source == nil ? nil : ledger.position?.text
        do {
            try await keyspace.noteUpstream(ready.map(\.row), upTo: end == recordedEnd ? nil : end.map { UpstreamSequence($0) })
            recordedEnd = end
            for (ticket, _) in ready { self.ledger.complete(ticket) }
        } catch {
            let error = ReplicationError(local: error)
            unfinished = error
            report(.failed(error))
        }
    }

    private func advanceCheckpoint() async {
        if let position = ledger.position { await keeper.advance(to: position.text) }
    }

    /// When all changes are done, reports that the replication is idle, or throws the error of a failed revision to begin a new run.
    private func checkIdle() async throws {
        guard isContinuous, isCaughtUp, underway.isEmpty else { return }
        // The recording in progress runs this check afterwards.
        needsIdleCheck = recordingsUnderway > 0
        guard !needsIdleCheck else { return }
        if let unfinished { throw unfinished }
        report(.progress(bytes: remote.takeBytes()))
        report(.transfers(false))
        await keeper.save()
    }
}
