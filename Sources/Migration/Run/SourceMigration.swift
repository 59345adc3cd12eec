package import Gateway
import Storage

/// Brings every document of a source into a store: with its revisions, branches, tombstones and attachments, placed by the routes.
///
/// The next batch is read while one is written. A batch, and in the journal how far the run has come, are one transaction: whatever stops
/// the run, the next one goes on behind the last batch.
package struct SourceMigration: Sendable {
    let source: any MigrationSource
    let database: Database
    let options: MigrationOptions

    /// What the report says of the run from the beginning.
    let head: ReportRun
    let control: MigrationControl
    let clock: ContinuousClock

    /// - Parameters:
    ///   - head: what the report is to say of the run; what it was and when it ended is filled in.
    package init(
        _ source: any MigrationSource, to database: Database, options: MigrationOptions = MigrationOptions(), head: ReportRun,
        control: MigrationControl = MigrationControl()
    ) {
        self.source = source
        self.database = database
        self.options = options
        self.head = head
        self.control = control
        clock = ContinuousClock()
    }

    /// Goes on with the last run, or begins one.
    ///
    /// - Parameter progress: is told after each batch, and whenever the run is held up.
    /// - Returns: what was done, and why the run did not come to its end, if it did not.
    package func run(progress: @escaping @Sendable (MigrationProgress) -> Void) async -> MigrationResult {
        var report = MigrationReport(run: head)
        do {
            let summary = try await describe(in: &report, progress)
            var journal = try await MigrationJournal.open(
                database, source: source.label, identity: summary.identity, routes: database.routesFingerprint,
                options: options.fingerprint)
            var run = CopyRun(migration: self, journal: journal, report: report, progress: progress)
            do {
                try await run.run()
            } catch let error as SourceError where error.code == .changed && journal.cursor != nil {
                journal = try await journal.restarted(in: database)
                run = CopyRun(migration: self, journal: journal, report: report, progress: progress)
                run.report.run.message = "\(source.label) does not know how far the last run had come; this one began anew"
                try await run.runKeepingMessage()
            } catch {
                return run.result(error)
            }
            return run.result(nil)
        } catch {
            report.run.state = error is CancellationError ? .interrupted : .failed
            report.run.message = "\(error)"
            report.run.finished = .now
            return MigrationResult(report: report, failure: error)
        }
    }

    /// Prepares the source, and takes down what it is.
    @discardableResult
    func describe(
        in report: inout MigrationReport, _ progress: @Sendable (MigrationProgress) -> Void
    ) async throws -> SourceSummary {
        try await source.prepare(control, progress)
        let summary = try await source.summary()
        report.run.sourceKind = summary.kind
        report.run.expectedDocuments = summary.documents
        return summary
    }
}

extension MigrationSource {
    /// ``prepare(_:)``, which ends when somebody stops the run.
    func prepare(_ control: MigrationControl, _ progress: @Sendable (MigrationProgress) -> Void) async throws {
        try await prepare { step in
            progress(step)
            if control.isStopped || Task.isCancelled { throw CancellationError() }
        }
    }
}

/// How a run from a source is to be done.
package struct MigrationOptions: Sendable, Equatable {
    /// What becomes of a document of which the source has not all attachments.
    package enum MissingAttachments: String, Sendable, CaseIterable {
        /// It is written. The attachment stays a stub until a later run brings its bytes.
        case keep
        /// It is not written, but kept in the quarantine.
        case quarantine
    }

    /// How much is read and written at once.
    package var batch = SourceBatchLimits()

    /// The most documents a second; `nil` for as many as there are.
    package var rate: Int?

    package var missingAttachments = MissingAttachments.keep

    /// What of the source is wanted.
    package var imports = ImportOptions()

    /// Whether the run slows down when the source does: for sources that others use, too.
    package var backsOffFromSlowSource = false

    package init() {}

    /// What has to be the same for a run to be gone on with.
    var fingerprint: String {
        "collectionsOnly=\(imports.collectionsOnly) excludesTombstones=\(imports.excludesTombstones)"
            + (missingAttachments == .keep ? "" : " missingAttachments=\(missingAttachments)")
    }
}

/// How a run ended: what it did until then, and why it did not go on, if it did not.
package struct MigrationResult: Sendable {
    package var report: MigrationReport

    /// `nil` if the run has come to its end. `CancellationError` if somebody stopped it.
    package var failure: (any Error)?

    /// Where the run ended at the source: what changes there later comes behind it.
    package var cursor: SourceCursor?

    package init(report: MigrationReport, failure: (any Error)? = nil, cursor: SourceCursor? = nil) {
        self.report = report
        self.failure = failure
        self.cursor = cursor
    }
}
