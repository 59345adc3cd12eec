import Documents
import Gateway
import Storage

/// One run of a pull: reads the server's feed, fetches what is missing here, and knows up to where everything is here.
actor PullReplicator {
    private let keyspace: Keyspace
    private let remote: RemoteDatabase
    private let limits: ReplicationLimits
    private let keeper: CheckpointKeeper
    private let isContinuous: Bool
    private let fetcher: RevisionFetcher
    private let report: @Sendable (ReplicationEvent) -> Void

    private var ledger = SequenceLedger<RemoteSequence>()

    /// Rows that are yet to be noted, where the server is the legacy upstream.
    private var shown = PendingUpstreamRows()

    /// The changes that brought the revisions that are being fetched.
    private var underway: [Key: [Int]] = [:]

    /// The place of the next revision that is asked for.
    private var nextPlace = 0
    private var isCaughtUp = false

    /// Up to where it is noted that everything is here, where the server is the legacy upstream.
    private var notedEnd: String?

    /// What is being noted at the moment, and whether somebody found everything dealt with meanwhile.
    private var notesUnderway = 0
    private var needsIdleCheck = false

    /// Up to where the feed was read.
    private var announced: RemoteSequence?

    /// Why some revision has to be tried again.
    private var unfinished: ReplicationError?

    /// Letters of a revision's ID that are kept where it is none.
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

    /// Pulls until the feed ends, which a continuous one does not.
    ///
    /// - Throws: ``ReplicationError``; `CancellationError`.
    func run(since: String?) async throws {
        let since = since.map { RemoteSequence($0) }
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
                try await self.fetch(wanted)
            }
        } catch {
            // What is next in the feed's order is good.
            try? await fetcher.flush { outcomes in await self.take(outcomes) }
            await noteProgress()
            throw error
        }
        await noteProgress()
        if let unfinished { throw unfinished }
    }

    /// The name of the legacy upstream's feed; `nil` if the server is not that.
    private nonisolated var source: String? { remote.settings.isUpstream ? remote.url.base : nil }

    private nonisolated func readFeed(since: RemoteSequence?, into queue: JobQueue<WantedRevision>) async throws {
        var feed = ChangesFeed(remote: remote, since: since, isContinuous: isContinuous) { [keeper] since, isLost in
            try await keeper.look(read: since, isLost: isLost)
        }
        while let event = try await feed.next() {
            switch event {
            case .caughtUp: try await catchUp()
            case .interrupted(let error): report(.interrupted(error))
            case .resumed: report(.resumed)
            case .changes(let changes):
                let wanted = try await missing(in: changes)
                guard !wanted.isEmpty else { continue }
                feed.noteNews()
                try await queue.add(wanted)
            }
        }
    }

    /// Which revisions have to be fetched; notes the changes in the ledger.
    private func missing(in changes: [RemoteChange]) async throws -> [WantedRevision] {
        let asked = changes.map { change in
            // Users' and design documents are the server's own; a database here cannot hold them.
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
        await keeper.note(
            announced: zip(changes, asked).flatMap { change, asked in
                change.isLoss ? [] : asked.revisions.map { LocalRevisionReader.Leaf(id: asked.id, revision: $0) }
            })
        var differences = found[...]
        var wanted: [WantedRevision] = []
        var known = 0
        for (index, (change, asked)) in zip(changes, asked).enumerated() {
            var missing: [RevisionID] = []
            var ancestors: [RevisionID] = []
            // What was found is in the order of what was asked, without that which is here.
            if let next = differences.first, next.id.utf8.elementsEqual(change.id.utf8),
                next.difference.missing.allSatisfy(asked.revisions.contains)
            {
                missing = next.difference.missing
                ancestors = Array(next.difference.possibleAncestors.prefix(limits.ancestors))
                differences.removeFirst()
            }
            known += asked.revisions.count - missing.count
            let isNoted = index < places.count && !asked.revisions.isEmpty
            // Noting the row is one part more.
            let ticket = ledger.add(change.sequence, open: missing.count + (isNoted ? 1 : 0))
            if isNoted {
                shown.add(
                    UpstreamRow(id: change.id, leaves: asked.revisions, place: places[index]), ticket: ticket, open: missing.count)
            }
            for revision in missing {
                let key = Key(id: ExactString(change.id), revision: revision)
                underway[key, default: []].append(ticket)
                guard underway[key]?.count == 1 else { continue }
                wanted.append(
                    WantedRevision(
                        id: change.id, revision: revision, isDeleted: change.isDeleted, ancestors: ancestors, ticket: ticket,
                        place: nextPlace)
                )
                nextPlace += 1
            }
        }
        // First, because the counts begin anew when there is something to do again.
        if !wanted.isEmpty { report(.transfers(true)) }
        report(.progress(completed: known, total: known + wanted.count, checked: changes.count, bytes: remote.takeBytes()))
        await note()
        if needsIdleCheck { try await settle() }
        return wanted
    }

    private func catchUp() async throws {
        isCaughtUp = true
        try await settle()
    }

    private func fetch(_ wanted: [WantedRevision]) async throws {
        try await fetcher.fetch(wanted) { outcomes in await self.take(outcomes) }
        try await settle()
    }

    /// Notes what has been dealt with: what is here is durable, and so is the word of what was refused.
    private func take(_ outcomes: [RevisionFetcher.Outcome]) async {
        var failure = await regression(behind: outcomes)
        if failure == nil { failure = await park(outcomes) }
        var documents: [DocumentTransfer] = []
        for (wanted, refusal) in outcomes {
            let error = refusal ?? failure
            documents.append(
                DocumentTransfer(id: wanted.id, revision: wanted.revision, isDeleted: wanted.isDeleted, error: error))
            let tickets = underway.removeValue(forKey: Key(id: ExactString(wanted.id), revision: wanted.revision)) ?? []
            if let error, error.isTransient || failure != nil {
                // The checkpoint stays before it.
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
        await note()
    }

    /// Notes what has been dealt with; before that is done, the replication is not idle.
    private func note() async {
        notesUnderway += 1
        await recordUpstreamShown()
        // What was noted at the same time may have been what this waited for.
        if source != nil, ledger.position?.text != notedEnd { await recordUpstreamShown() }
        await noteProgress()
        notesUnderway -= 1
    }

    /// Parks revisions whose IDs are none that a database here can hold: nothing can be asked for by them.
    private func parkUnreadable(_ changes: [RemoteChange]) async throws {
        let notes = changes.filter { !$0.id.hasPrefix("_") }.flatMap { change in
            change.revisions.filter { RevisionID($0) == nil }.map { revision in
                ParkingOutcome(
                    .pull, id: change.id, revision: String(revision.prefix(Self.revisionLength)),
                    refusal: .init(ReplicationError(.badRequest, "Its revision ID is none: a number, a dash and a digest are needed")))
            }
        }
        if !notes.isEmpty { try await remote.settings.parking?.note(notes, in: keyspace) }
    }

    /// Looks at a server that has announced a revision and does not have it: it may have gone back to a backup in between, and would give the same place
    /// of its feed to something else.
    ///
    /// - Returns: The error of a server that went back, or of the look itself; `nil` if the server has kept everything.
    private func regression(behind outcomes: [RevisionFetcher.Outcome]) async -> ReplicationError? {
        guard outcomes.contains(where: { $0.error?.code == .notFound && $0.error?.origin != .intermediary }) else { return nil }
        do {
            try await keeper.look(read: announced, isLost: true)
            return nil
        } catch {
            return error as? ReplicationError ?? ReplicationError(local: error)
        }
    }

    /// - Returns: Why that cannot be noted.
    private func park(_ outcomes: [RevisionFetcher.Outcome]) async -> ReplicationError? {
        do {
            try await remote.settings.parking?.note(RevisionFetcher.notes(outcomes), in: keyspace)
            return nil
        } catch {
            return ReplicationError(local: error)
        }
    }

    /// Notes that upstream shows what has been dealt with. Before that is durable, the checkpoint does not pass it.
    private func recordUpstreamShown() async {
        let ready = shown.takeReady()
        var ledger = ledger
        for (ticket, _) in ready { ledger.complete(ticket) }
        let end = source == nil ? nil : ledger.position?.text
        do {
            try await keyspace.noteUpstream(ready.map(\.row), upTo: end == notedEnd ? nil : end.map { UpstreamSequence($0) })
            notedEnd = end
            for (ticket, _) in ready { self.ledger.complete(ticket) }
        } catch {
            let error = ReplicationError(local: error)
            unfinished = error
            report(.failed(error))
        }
    }

    private func noteProgress() async {
        if let position = ledger.position { await keeper.advance(to: position.text) }
    }

    /// When all has been dealt with, the replication is idle, or has to begin anew because of what failed.
    private func settle() async throws {
        guard isContinuous, isCaughtUp, underway.isEmpty else { return }
        // Who is noting settles afterwards.
        needsIdleCheck = notesUnderway > 0
        guard !needsIdleCheck else { return }
        if let unfinished { throw unfinished }
        report(.progress(bytes: remote.takeBytes()))
        report(.transfers(false))
        await keeper.save()
    }
}
