import ArgumentParser
import Gateway
import Migration

/// `migrate --in`: moves documents within a store, or puts them back.
struct MigrateInPlace {
    let database: Database
    let batch: Int
    let isDryRun: Bool
    let reverts: Bool
    let output: OutputOptions

    func run() async throws {
        let migration = InPlaceMigration(database, batch: batch)
        let line = ProgressLine(isDryRun ? "examining" : reverts ? "putting back" : "moving", isQuiet: output.quiet)
        if reverts {
            let summary = try await migration.revert(progress: line.show)
            line.finish()
            try report(reverted: summary)
        } else {
            let summary = try await isDryRun ? migration.preview(progress: line.show) : migration.run(progress: line.show)
            line.finish()
            try report(summary)
        }
    }

    private func report(reverted summary: RevertSummary?) throws {
        if output.json {
            try JSONOutput.print(["reverted": summary?.documents ?? 0, "refused": summary?.refused ?? 0])
        } else if let summary {
            print("Put back \(summary.documents) documents.")
            if summary.refused > 0 {
                print("The sync function refused \(summary.refused) of them: they are back, in the channels that they had.")
            }
        } else {
            print("There is no run to put back.")
        }
    }

    private func report(_ summary: MoveSummary) throws {
        let report = MigrateReport(summary, isDryRun: isDryRun)
        if output.json {
            try JSONOutput.print(report)
        } else {
            print(report.rendered)
        }
        if summary.clashes.documents > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
