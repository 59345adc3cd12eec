import ArgumentParser
import Gateway
import Migration
import Server

/// `migrate --in`: moves documents within a store, or puts them back.
struct MigrateInPlace {
    let database: Database

    /// The store, and the file of routes.
    let path: String
    let routes: String
    let batch: Int
    let isDryRun: Bool
    let reverts: Bool
    let report: ReportFile?
    let output: OutputOptions

    func run() async throws {
        let migration = InPlaceMigration(database, batch: batch)
        let (started, clock) = (ReportTime.now, ContinuousClock())
        let start = clock.now
        let line = ProgressLine(isDryRun ? "examining" : reverts ? "putting back" : "moving", isQuiet: output.quiet || output.json)
        if reverts {
            let summary = try await migration.revert(progress: line.show)
            line.finish()
            try write(MigrationReport(summary ?? RevertSummary(), run: head(started)), clock.now - start)
            report(reverted: summary)
        } else {
            let summary = try await isDryRun ? migration.preview(progress: line.show) : migration.run(progress: line.show)
            line.finish()
            try write(MigrationReport(summary, run: head(started)), clock.now - start)
            try report(summary)
        }
    }

    private func head(_ started: ReportTime) -> ReportRun {
        ReportRun(
            reverts ? .revert : .move, source: path, sourceKind: "Dualgauge store", target: path, routes: routes, isDryRun: isDryRun,
            started: started, version: ServerVersion.current)
    }

    private func write(_ finished: MigrationReport, _ duration: Duration) throws {
        var finished = finished
        finished.run.state = .finished
        finished.run.finished = .now
        finished.run.seconds = duration / .seconds(1)
        if output.json { StandardStream.output.write(try finished.json()) }
        try report?.write(finished)
    }

    private func report(reverted summary: RevertSummary?) {
        guard !output.json else { return }
        if let summary {
            print("Put back \(summary.documents) documents.")
            if summary.refused > 0 {
                print("The sync function refused \(summary.refused) of them: they are back, in the channels that they had.")
            }
        } else {
            print("There is no run to put back.")
        }
    }

    private func report(_ summary: MoveSummary) throws {
        if !output.json { print(MigrateReport(summary, isDryRun: isDryRun).rendered) }
        if summary.clashes.documents > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
