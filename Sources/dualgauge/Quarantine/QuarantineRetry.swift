import ArgumentParser
import Gateway
import Migration
import Scripting

/// `dualgauge quarantine retry STORE`.
struct QuarantineRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try again to write the kept documents.",
        discussion: """
            The kept documents are tried first. With --from, documents that still cannot be written are looked up in that source by their IDs, and \
            so are missing attachments of written documents: the source is read to its end.

              dualgauge quarantine retry shop.dualgauge --routes routes.yaml
              dualgauge quarantine retry shop.dualgauge --routes routes.yaml --from mended.jsonl

            Exits with 1 if documents are left, and prints the reasons.
            """)

    @Argument(help: "The store's folder.", completion: .directory)
    var store: String

    @Option(help: "The file of routes that the migration had.", completion: .file())
    var routes: String?

    @Option(help: "A source that has correct copies of the documents or attachments.")
    var from: String?

    @Option(
        help: """
            The treatment of a document whose attachments are still missing. keep: it is written, and the attachment is a stub until a later run \
            brings its bytes. quarantine: it stays in quarantine.
            """)
    var missingAttachments = MigrationOptions.MissingAttachmentPolicy.quarantine

    @OptionGroup(title: "The connection to a server") var connection: ReplicateConnection
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let target = try MigrationTarget(path: store, routes: routes)
        guard try await target.exists() else { throw ValidationError("\(target.label): there is no store here.") }
        let scripts = ScriptEngine()
        let logger = output.logger("quarantine")
        let access = SourceEndpoint.Access(connection: connection, collections: [], target: try StagedServer.folder(of: store))
        let source = try await from.map { try SourceEndpoint($0) }?.open(access, scripts, logger)
        let line = ProgressLine("reading", isQuiet: output.quiet || output.json)
        let retried = try await SourceEndpoint.closing(source) {
            let database = try await target.open(collections: [], scripts, logger)
            let retried = try await Quarantine(database).retry(from: source, missingAttachments: missingAttachments) { line.show($0) }
            line.finish()
            try await database.close()
            return retried
        }
        if output.json {
            try JSONOutput.print([
                "written": retried.written, "remaining": retried.remaining.count, "completedAttachments": retried.completed,
            ])
        } else {
            for document in retried.remaining { print(document.line) }
            let completed = retried.completed > 0 ? ", \(retried.completed) missing attachments found" : ""
            print("\(retried.written) written, \(retried.remaining.count) left\(completed)")
        }
        if !retried.remaining.isEmpty { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
