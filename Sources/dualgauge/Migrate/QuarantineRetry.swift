import ArgumentParser
import Gateway
import Migration
import Scripting

/// `dualgauge quarantine retry STORE`.
struct QuarantineRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try to write what is kept.",
        discussion: "Exits with 1 if something is left, and says why now.")

    @Argument(help: "The store's folder.", completion: .directory)
    var store: String

    @Option(help: "The file of routes that the migration had.", completion: .file())
    var routes: String?

    @Option(help: "The source, where attachments were missing that it has now.")
    var from: String?

    @OptionGroup(title: "The connection to a server") var connection: ReplicateConnection
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let target = try MigrationTarget(path: store, routes: routes)
        guard target.exists else { throw ValidationError("\(store): there is no store here.") }
        let scripts = ScriptEngine()
        let logger = output.logger("quarantine")
        let access = SourceEndpoint.Access(connection: connection, collections: [], target: target.path)
        let source = try await from.map { try SourceEndpoint($0) }?.open(access, scripts, logger)
        let retried = try await SourceEndpoint.closing(source) {
            let database = try await target.open(collections: [], scripts, logger)
            let retried = try await Quarantine(database).retry(from: source)
            try await database.close()
            return retried
        }
        if output.json {
            try JSONOutput.print(["written": retried.written, "remaining": retried.remaining.count])
        } else {
            for document in retried.remaining {
                print("\(document.collection) \(ReportFormat.plain(document.id)): \(ReportFormat.plain(document.reason))")
            }
            print("\(retried.written) written, \(retried.remaining.count) left")
        }
        if !retried.remaining.isEmpty { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
