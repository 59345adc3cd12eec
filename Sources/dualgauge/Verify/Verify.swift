import ArgumentParser
import BridgeConfiguration
import Foundation
import Gateway
import Logging
import Migration
import Scripting
import Server

/// `dualgauge verify A B`.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare two endpoints: winners, leaves, tombstones and attachments.",
        discussion: """
            A and B are sources that `migrate --from` can read: a server, a store, a Couchbase Lite database or a dump. Documents are compared \
            under their own IDs, and documents of a store's collections under their legacy IDs as well, so that a flat source and a store whose \
            documents were migrated can be compared. --routes does that where neither end is a store.

              dualgauge verify old.cblite shop.dualgauge
              dualgauge verify https://old.example.com/shop shop.dualgauge --user waldo:secret --json

            Exit codes: 0 both are the same, 1 they differ, 2 usage or a login, 3 one of them cannot be reached.
            """)

    @Argument(help: ArgumentHelp("A: the source of the documents.", valueName: "a"))
    var first: String

    @Argument(help: ArgumentHelp("B: the copy.", valueName: "b"))
    var second: String

    @Option(help: "The file of routes by which the documents of A were placed in collections of B.", completion: .file())
    var routes: String?

    @Flag(help: "List every difference, not only the first ones.")
    var full = false

    @Option(help: ReportFile.help, completion: .file())
    var report: ReportFile?

    @Option(help: ArgumentHelp("With a 2.x+ server: the collections to read.", valueName: "a.b,c.d"))
    var collections: String?

    @Option(
        help: ArgumentHelp(
            "With a 1.x server as A: the number of documents whose bodies and attachments are compared. The revisions of all documents are compared.",
            valueName: "n|all"))
    var bodies = BodyCount.all

    @Flag(help: "Accept that a login does not see every document of its server. Without this option that ends with exit code 1.")
    var partial = false

    @OptionGroup(title: "The connection to a server") var connection: ReplicateConnection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try SourceEndpoint(first)
        _ = try SourceEndpoint(second)
        _ = try CollectionList.names(collections)
    }

    func run() async throws {
        let target = try MigrationTarget(path: second, routes: routes)
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let scripts = ScriptEngine()
        let logger = output.logger("verify")
        let access = SourceEndpoint.Access(
            connection: connection, collections: try CollectionList.names(collections), target: scratch.path + "/verify")
        let one = try await SourceEndpoint(first).open(access, scripts, logger)
        let document = try await SourceEndpoint.closing(one) {
            let other = try await SourceEndpoint(second).open(access, scripts, logger)
            return try await SourceEndpoint.closing(other) { try await compare(one, other, target, scratch, scripts, logger) }
        }
        try show(document)
    }

    private func compare(
        _ one: any MigrationSource, _ other: any MigrationSource, _ target: MigrationTarget, _ scratch: ScratchFolder,
        _ scripts: ScriptEngine, _ logger: Logger
    ) async throws -> MigrationReport {
        let line = ProgressLine("comparing", isQuiet: output.quiet || output.json)
        var head = ReportRun(
            .verify, source: one.label, sourceKind: try await one.summary().kind, target: other.label, routes: routes,
            options: partial ? ["partial": "true"] : [:], started: .now, version: ServerVersion.current)
        // `summary()` of a 2.x+ server replicates it first.
        let channels = [try await one.summary().seenChannels, try await other.summary().seenChannels].compactMap { $0 }
        head.seenChannels = channels.isEmpty ? nil : channels.flatMap { $0 }
        let start = ContinuousClock.now
        // A store maps legacy IDs itself.
        let routing =
            routes == nil || other is StoreSource
            ? nil
            : try await target.open(
                collections: try await one.summary().collections, at: scratch.path + "/routes.dualgauge", scripts, logger)
        let left: any MigrationSource = routing.map { RoutedSource(one, by: $0) } ?? one
        let verification = try await Verification(
            left, other, refusesBranches: try await SourceEndpoint(second).knowsSingleBranch(of: SourceEndpoint(first)),
            bodies: BodySample(limit: bodies.limit)
        ).run(progress: line.show)
        line.finish()
        head.seconds = (ContinuousClock.now - start) / .seconds(1)
        head.finished = .now
        head.state = .finished
        var document = MigrationReport(run: head)
        document.verification = verification
        try await routing?.close()
        return document
    }

    private func show(_ document: MigrationReport) throws {
        if output.json {
            StandardStream.output.write(try document.json())
        } else {
            print(ReportText(document, shown: full ? .max : nil).rendered)
        }
        try report?.write(document)
        if !document.isClean || !document.sawEverything { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}

/// The number of documents whose bodies are compared: a number, or `all`.
struct BodyCount: ExpressibleByArgument, Hashable {
    /// The number; `nil` for all.
    let limit: Int?

    static let all = BodyCount(limit: nil)

    private init(limit: Int?) {
        self.limit = limit
    }

    init?(argument: String) {
        if argument == "all" {
            limit = nil
        } else {
            guard let count = Int(argument), count >= 0 else { return nil }
            limit = count
        }
    }

    var defaultValueDescription: String { limit.map { "\($0)" } ?? "all" }
}
