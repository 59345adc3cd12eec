import ArgumentParser
import BridgeConfiguration
import Gateway
import Migration
import Server

/// `migrate --in`: moves documents between the collections of a store, or reverts such a run.
struct MigrateInPlace {
    let database: Database

    /// The path of the store, and the path of the route file.
    let path: String
    let routes: String
    let batch: Int
    let isDryRun: Bool
    let reverts: Bool
    let allowsNewGrants: Bool
    let report: ReportFile?
    let output: OutputOptions

    func run() async throws {
        let migration = InPlaceMigration(database, batch: batch, allowsNewGrants: allowsNewGrants)
        let (started, clock) = (ReportTime.now, ContinuousClock())
        let start = clock.now
        let line = ProgressLine(isDryRun ? "examining" : reverts ? "putting back" : "moving", isQuiet: output.quiet || output.json)
        if reverts {
            let summary = try await isDryRun ? migration.previewRevert(progress: line.show) : migration.revert(progress: line.show)
            line.finish()
            let sight = try await migration.sight(summary?.sight ?? AccessChangeTally())
            try write(MigrationReport(summary ?? RevertSummary(), run: head(started)), sight, clock.now - start)
            report(reverted: summary, sight)
        } else {
            let summary = try await isDryRun ? migration.preview(progress: line.show) : migration.run(progress: line.show)
            line.finish()
            let sight = try await migration.sight(summary.sight)
            try write(MigrationReport(summary, run: head(started)), sight, clock.now - start)
            if !isDryRun { try await reportUnservedCollections(line) }
            try report(summary, sight)
        }
    }

    /// Prints the collections that the bridge's configuration does not name.
    private func reportUnservedCollections(_ line: ProgressLine) async throws {
        let names = try await database.unservedCollections().map(\.description)
        guard !names.isEmpty else { return }
        line.showMessage(
            """
            the configuration that this store was served with last does not name \(names.joined(separator: ", ")); the bridge serves the documents all \
            the same: name the collections under `collections` there, and put the routes beside them
            """)
    }

    private func head(_ started: ReportTime) -> ReportRun {
        ReportRun(
            reverts ? .revert : .move, source: path, sourceKind: "Dualgauge store", target: path, routes: routes, isDryRun: isDryRun,
            started: started, version: ServerVersion.current)
    }

    private func write(_ finished: MigrationReport, _ sight: AccessChangeReport, _ duration: Duration) throws {
        var finished = finished
        finished.sight = sight
        finished.run.state = .finished
        finished.run.finished = .now
        finished.run.seconds = duration / .seconds(1)
        if output.json { StandardStream.output.write(try finished.json()) }
        try report?.write(finished)
    }

    private func report(reverted summary: RevertSummary?, _ sight: AccessChangeReport) {
        guard !output.json else { return }
        if let summary {
            print(isDryRun ? "Would put back \(summary.documents) documents." : "Put back \(summary.documents) documents.")
            print(AccessChangeText(sight, isDryRun: isDryRun, allowsNewGrants: true).rendered)
            if summary.refused > 0 {
                print("The sync function refused \(summary.refused) of them: they are back, in the channels that they had.")
            }
        } else {
            print("There is no run to put back.")
        }
    }

    private func report(_ summary: MoveSummary, _ sight: AccessChangeReport) throws {
        if !output.json {
            print(MigrateReport(summary, isDryRun: isDryRun).rendered)
            print(AccessChangeText(sight, isDryRun: isDryRun, allowsNewGrants: allowsNewGrants).rendered)
        }
        if summary.clashes.documents > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
