import Coordination
import Gateway
import Storage

/// A run in progress: its journal, its report and its rate limits.
struct CopyRun {
    let migration: SourceMigration
    let progress: @Sendable (MigrationProgress) -> Void
    var journal: MigrationJournal
    var report: MigrationReport
    private var counts: MigrationJournal.Counts
    private var rate: MigrationRate
    private var latency = SourceLatency()
    private let start: ContinuousClock.Instant

    /// Size of the first batch in documents. No batch is written while it is read, so it is small; later batches double in size.
    private static let firstBatch = 250

    /// Totals of the earlier, interrupted processes of this run.
    private let earlierSeconds: Double
    private let earlierDocuments: Int

    /// Why the last batch was delayed.
    private var holdUp: String?

    init(
        migration: SourceMigration, journal: MigrationJournal, report: MigrationReport,
        progress: @escaping @Sendable (MigrationProgress) -> Void
    ) {
        self.migration = migration
        self.journal = journal
        self.report = report
        self.progress = progress
        counts = journal.counts
        rate = MigrationRate(migration.options.rate)
        start = migration.clock.now
        earlierSeconds = journal.counts.seconds
        earlierDocuments = journal.counts.documents
        self.report.run.resumed = journal.counts.resumed
        self.report.run.earlierSeconds = earlierSeconds
        self.report.run.earlierDocuments = journal.counts.copied
        if journal.beginning == .resumed { self.report.run.started = ReportTime(seconds: journal.record.started / 1000) }
        for collection in counts.collections { self.report.count(in: collection.name) { $0 = collection } }
        self.report.unseen.count(unlisted: counts.unseen ?? 0)
    }

    private var database: Database { migration.database }
    private var elapsed: Double { earlierSeconds + (migration.clock.now - start) / .seconds(1) }

    /// Reads and writes batches until the source ends.
    mutating func run() async throws {
        try await readFailures()
        if journal.beginning == .resumed {
            try await MissingAttachments(database).each { report.missingAttachments.add($0) }
        }
        let before = counts.documents
        show("reading")
        var size = min(Self.firstBatch, migration.options.batch.documents)
        var next = try await Self.read(migration, after: journal.cursor, atMost: size)
        while let batch = next {
            try await waitWhilePaused()
            try await backOff(batch.read)
            let wanted = min(size * 2, migration.options.batch.documents)
            async let following = Self.read(migration, after: batch.cursor, atMost: wanted)
            size = wanted
            try await write(batch)
            next = try await following
        }
        try await finish(isNothingNew: counts.documents == before)
    }

    /// Calls ``run()`` and restores the report's message about the restart afterwards.
    mutating func runKeepingMessage() async throws {
        let message = report.run.message
        try await run()
        report.run.message = message
    }

    func result(_ failure: (any Error)?) -> MigrationResult {
        var report = report
        report.run.seconds = elapsed
        report.run.finished = .now
        if let failure {
            report.run.state = failure is CancellationError ? .interrupted : .failed
            report.run.message = failure is CancellationError ? "stopped; run the command again to go on" : "\(failure)"
        }
        return MigrationResult(report: report, failure: failure, cursor: journal.cursor)
    }

    /// A batch that is ready to be written.
    private struct ReadBatch: Sendable {
        let prepared: PreparedBatch
        let cursor: SourceCursor
        let count: Int

        /// Time that the source needed.
        let read: Duration
    }

    /// Reads and prepares the next batch; runs while the previous batch is written.
    private static func read(
        _ migration: SourceMigration, after cursor: SourceCursor?, atMost documents: Int
    ) async throws -> ReadBatch? {
        let start = migration.clock.now
        let limits = migration.options.batch.limited(to: documents)
        guard let batch = try await migration.source.batch(after: cursor, limits: limits) else { return nil }
        let read = migration.clock.now - start
        let preparation = BatchPreparation(
            source: migration.source, database: migration.database, missingAttachments: migration.options.missingAttachments)
        let prepared = try await preparation.prepare(batch)
        return ReadBatch(prepared: prepared, cursor: batch.cursor, count: batch.items.count, read: read)
    }

    private mutating func waitWhilePaused() async throws {
        if migration.control.isPaused {
            holdUp = "paused"
            show("waiting")
        }
        try await migration.control.proceed()
    }

    /// Waits if the source has become slow.
    private mutating func backOff(_ read: Duration) async throws {
        holdUp = nil
        guard migration.options.backsOffFromSlowSource, let (wait, reason) = latency.record(read) else { return }
        holdUp = reason
        show("waiting")
        try await migration.clock.sleep(for: wait)
    }

    private mutating func write(_ batch: ReadBatch) async throws {
        let prepared = batch.prepared
        let tally = BatchTally(prepared, source: migration.source.label)
        var record = journal
        record.counts = counts
        let (before, cursor, seconds, current) = (counts, batch.cursor, elapsed, record)
        _ = try await database.importDocuments(
            prepared.plans, attachments: prepared.attachments, options: migration.options.imports
        ) { transaction, results in
            var journal = current
            let outcome = BatchTally.Outcome(results: results, counts: tally.counts(results, on: before, seconds: seconds))
            try tally.record(outcome, run: journal.record.key, in: transaction)
            try journal.update(outcome.counts, cursor: cursor)
            journal.record.state = .running
            journal.record.finished = nil
            try journal.save(in: transaction)
        }
        try await apply(batch, tally)
    }

    /// Applies the committed outcome to the counts, the journal and the report.
    private mutating func apply(_ batch: ReadBatch, _ tally: BatchTally) async throws {
        guard let outcome = tally.outcome.withLock({ $0 }) else { return }
        counts = outcome.counts
        try journal.update(counts, cursor: batch.cursor)
        for collection in counts.collections { report.count(in: collection.name) { $0 = collection } }
        for fault in tally.faults(outcome.results) { report.failures.add(fault.failure) }
        for revision in tally.unseen { report.unseen.add(revision) }
        for attachment in tally.missing(outcome.results) { report.missingAttachments.add(attachment) }
        if let wait = rate.note(batch.count, now: migration.clock.now - start) {
            holdUp = "limited to \(rate.limit ?? 0) documents a second"
            show("writing")
            try await migration.clock.sleep(for: wait)
        } else {
            show("writing")
        }
    }

    private mutating func finish(isNothingNew: Bool) async throws {
        if let repeated = journal.repeated {
            let end = repeated.finished.map { " \($0)" } ?? ""
            let last = "the last run, which ended\(end) with \(ReportFormat.count(repeated.documents)) documents"
            report.run.message = isNothingNew ? "nothing is new since \(last)" : "only what is new since \(last), was written"
        }
        report.run.state = .finished
        guard !(isNothingNew && journal.beginning == .repeated) else { return }
        var done = journal
        done.record.state = .finished
        done.record.finished = MigrationJournal.now
        counts.seconds = elapsed
        try done.update(counts, cursor: nil)
        journal = done
        let final = done
        try await database.inTransaction { try final.save(in: $0) }
    }

    /// Adds the failures of earlier processes of this run to the report.
    private mutating func readFailures() async throws {
        guard journal.beginning != .new else { return }
        let run = journal.record.key
        var last: Int64 = 0
        while true {
            let after = last
            let records = try await database.inSnapshot { try $0.quarantined(after: after, limit: 1_000, withBytes: false) }
            guard let end = records.last else { return }
            last = end.key
            for record in records where record.run == run { report.failures.add(QuarantinedDocument(record).failure) }
        }
    }

    private mutating func show(_ activity: String) {
        report.timeline.add(
            time: elapsed, documents: counts.documents, bytes: counts.bytes, activity: activity, throttle: holdUp)
        progress(
            MigrationProgress(
                done: counts.documents, total: report.run.expectedDocuments, earlier: earlierDocuments, activity: activity, holdUp: holdUp))
    }
}
