import ArgumentParser
import Gateway
import Migration
import Scripting
import Server
import Storage

/// `dualgauge migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move documents of the default collection into collections.",
        discussion: """
            Revisions, bodies and attachments stay as they are: only where a document lives changes, so clients of the flat \
            keyspace see nothing, and the move can be undone at any time.

            Safe to repeat: a run that was interrupted goes on where it stopped, and a finished run finds nothing to do.

              dualgauge migrate --in shop.dualgauge --routes routes.yaml --dry-run
              dualgauge migrate --in shop.dualgauge --routes routes.yaml
              dualgauge migrate --in shop.dualgauge --routes routes.yaml --revert
            """)

    @Option(name: .customLong("in"), help: "The store whose documents are moved.", completion: .directory)
    var store: String

    @Option(help: "The file with `collections` and `routes`, or a whole configuration with one database.", completion: .file())
    var routes: String

    @Flag(help: "Read everything, write nothing, and print what would go where.")
    var dryRun = false

    @Flag(help: "Put back what the last run moved, documents changed since included.")
    var revert = false

    @Option(help: "Documents in one transaction.")
    var batch = 500

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !(dryRun && revert) else { throw ValidationError("--dry-run and --revert do not go together.") }
        guard (1...10_000).contains(batch) else { throw ValidationError("--batch takes a number from 1 to 10000.") }
    }

    func run() async throws {
        let plan = try ConfigurationFile.readRoutes(routes)
        var configuration = DatabaseConfiguration(name: "store")
        configuration.collections = plan.collections
        configuration.routes = plan.routes
        let scripts = ScriptEngine()
        var options = SQLiteStore.Options()
        options.createsIfMissing = false
        let store = try SQLiteStore(path: store, options: options)
        let database = try await Database(
            configuration: configuration, store: store, scripts: scripts, logger: output.logger("migrate"), changesVisibility: false)
        try await perform(InPlaceMigration(database, batch: batch))
        try await database.close()
    }

    private func perform(_ migration: InPlaceMigration) async throws {
        let line = ProgressLine(dryRun ? "examining" : revert ? "putting back" : "moving", isQuiet: output.quiet)
        if revert {
            let summary = try await migration.revert(progress: line.show)
            line.finish()
            try report(reverted: summary)
        } else {
            let summary = try await dryRun ? migration.preview(progress: line.show) : migration.run(progress: line.show)
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
        let report = MigrateReport(summary, isDryRun: dryRun)
        if output.json {
            try JSONOutput.print(report)
        } else {
            print(report.rendered)
        }
        if summary.clashes.documents > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
