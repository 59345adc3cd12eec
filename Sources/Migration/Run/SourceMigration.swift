package import Gateway
import Storage

/// Copies every document of a source into a store, with its revisions, branches, tombstones and attachments. Routes choose the collections.
///
/// The next batch is read while the previous one is written. A batch and the run's position in the journal are written in one transaction. After
/// any interruption, the next run resumes after the last batch.
package struct SourceMigration: Sendable {
    let source: any MigrationSource
    let database: Database
    let options: MigrationOptions

    /// Initial description of the run in the report.
    let head: ReportRun
    let control: MigrationControl
    let clock: ContinuousClock

    /// - Parameters:
    ///   - head: Description of the run in the report; the source's kind and the times are filled in.
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

    /// Resumes the last run, or begins a new one.
    ///
    /// - Parameter progress: Called after each batch, and whenever the run has to wait.
    /// - Returns: The report and, if the run ended early, the error.
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
                run.report.run.message =
                    "\(source.label) does not have the position of the last run any more; this run started from the beginning"
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

    /// Prepares the source and adds its description to the report.
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
    /// ``prepare(_:)``, cancelled when the run is stopped.
    func prepare(_ control: MigrationControl, _ progress: @Sendable (MigrationProgress) -> Void) async throws {
        try await prepare { step in
            progress(step)
            if control.isStopped || Task.isCancelled { throw CancellationError() }
        }
    }
}

/// Options of a run from a source.
package struct MigrationOptions: Sendable, Equatable {
    /// How to handle a document whose attachments the source does not have completely.
    package enum MissingAttachmentPolicy: String, Sendable, CaseIterable {
        /// Write the document. The attachment stays a stub until a later run finds its bytes.
        case keep
        /// Quarantine the document.
        case quarantine
    }

    /// Limits of one batch.
    package var batch = SourceBatchLimits()

    /// Documents per second; `nil` for no limit.
    package var rate: Int?

    package var missingAttachments = MissingAttachmentPolicy.keep

    /// Which documents of the source are imported.
    package var imports = ImportOptions()

    /// Whether the run waits when the source becomes slow, for sources that are in use.
    package var backsOffFromSlowSource = false

    package init() {}

    /// The options that must be equal for a run to be resumed.
    var fingerprint: String {
        "collectionsOnly=\(imports.collectionsOnly) excludesTombstones=\(imports.excludesTombstones)"
            + (missingAttachments == .keep ? "" : " missingAttachments=\(missingAttachments)")
    }
}

/// Result of a run.
package struct MigrationResult: Sendable {
    package var report: MigrationReport

    /// `nil` if the run completed; `CancellationError` if it was stopped.
    package var failure: (any Error)?

    /// Position in the source at the end of the run; later changes have later positions.
    package var cursor: SourceCursor?

    package init(report: MigrationReport, failure: (any Error)? = nil, cursor: SourceCursor? = nil) {
        self.report = report
        self.failure = failure
        self.cursor = cursor
    }
}
