import ArgumentParser
import BridgeConfiguration
import Gateway
public import Migration
import Scripting
import Server
import Storage
import Stores

/// `dualgauge migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy documents from a server, a file or another store into a store's collections.",
        discussion: """
            --from ENDPOINT --to STORE reads every document with its revision history, branches, tombstones and attachments, and writes it \
            into the collections that the routes name. The store is created if it does not exist. The source is never changed. Then both sides \
            are compared (--no-verify leaves that out).

              dualgauge migrate --from old.cblite --to shop.dualgauge --routes routes.yaml --dry-run
              dualgauge migrate --from old.cblite --to shop.dualgauge --routes routes.yaml --report run.html
              dualgauge migrate --from https://old.example.com/shop --user waldo:secret --to shop.dualgauge --routes routes.yaml

            An ENDPOINT is a URL or a path: http: and https: are 1.x servers, ws: and wss: 2.x+ servers (--collections names what is read \
            besides the default collection), NAME.dualgauge and postgres: are stores, NAME.cblite and NAME.cblite2 Couchbase Lite databases, and \
            FILE.json, .jsonl and .txt, each also .gz, dumps.

            --suggest reads the source and prints a file of routes to begin with.

              dualgauge migrate --from old.cblite --suggest --output routes.yaml

            --in STORE moves documents that are in the store's default collection; --revert puts them back. The bridge can be serving.

              dualgauge migrate --in shop.dualgauge --routes routes.yaml --dry-run
              dualgauge migrate --in shop.dualgauge --routes routes.yaml
              dualgauge migrate --in shop.dualgauge --routes routes.yaml --revert

            A moved document grants no channels or roles that it did not grant before; --dry-run lists the new grants, and --allow-new-grants \
            permits them.

            Safe to repeat: the same command continues a stopped run after its last batch, and after a finished run it writes only new changes. \
            Ctrl-C finishes the batch; `kill -USR2` pauses a run and `kill -CONT` continues it. Documents that cannot be written are kept: see \
            `dualgauge quarantine`. A document is written even if the source has not all of its attachments (--missing-attachments).

            Exit codes: 0 everything is written; 1 something is in quarantine, clashes or differs, or the run was stopped; 2 the options, the \
            routes, the login or the kind of source; 3 the source or the store cannot be reached.
            """)

    @Option(help: "The source of the documents.")
    var from: String?

    @Option(help: "The store to write to: a folder, or postgres://USER@HOST/DATABASE?schema=NAME.", completion: .directory)
    var to: String?

    @Option(name: .customLong("in"), help: "The store whose documents are moved.", completion: .directory)
    var store: String?

    @Option(
        help: "The file with `collections` and `routes`, or a whole configuration with one database. Optional with --from.",
        completion: .file())
    var routes: String?

    @Flag(help: "Read everything, write nothing, and print the collections that the documents would go to.")
    var dryRun = false

    @Flag(help: "With --from: read the source, write nothing, and suggest routes.")
    var suggest = false

    @Flag(help: "With --in: put back the documents that the last run moved, including documents that have changed since.")
    var revert = false

    @Flag(
        help: """
            With --in: permit new grants: channels and roles that documents grant by access() and role() of the new collection's function and did \
            not grant before. --dry-run lists them.
            """)
    var allowNewGrants = false

    @Flag(inversion: .prefixedNo, help: "With --from: compare both sides afterwards.")
    var verify = true

    @Option(help: "With --from: the maximum number of documents a second.")
    var rate: Int?

    @Option(help: "Documents in one transaction: by default 5000 with --from, at most 500 with --in.")
    var batch: Int?

    @Flag(help: "With --from: leave out documents of the default collection that no route matches.")
    var collectionsOnly = false

    @Flag(help: "With --from a server: accept that the login does not see every document. Without this option that ends with exit code 1.")
    var partial = false

    @Flag(help: "With --from: leave out deleted documents.")
    var excludeTombstones = false

    @Option(
        help: """
            With --from: the treatment of a document if the source does not have all of its attachments. keep: it is written, and the attachment is \
            a stub until a later run brings its bytes. quarantine: it is not written.
            """)
    var missingAttachments = MigrationOptions.MissingAttachmentPolicy.keep

    @Option(help: ReportFile.help, completion: .file())
    var report: ReportFile?

    @Option(help: ArgumentHelp("With a 2.x+ server: the collections to read.", valueName: "a.b,c.d"))
    var collections: String?

    @OptionGroup(title: "Suggesting routes") var suggestion: SuggestOptions
    @OptionGroup(title: "The connection to a server") var connection: ReplicateConnection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (from == nil) != (store == nil), (from != nil && !suggest) == (to != nil) else {
            throw ValidationError("Give either --from and --to, or --from and --suggest, or --in.")
        }
        guard (1...10_000).contains(batch ?? 1) else { throw ValidationError("--batch takes a number from 1 to 10000.") }
        if let rate, rate < 1 { throw ValidationError("--rate takes a number from 1.") }
        if let from {
            _ = try SourceEndpoint(from)
            guard !revert else { throw ValidationError("--revert goes with --in.") }
            guard !allowNewGrants else { throw ValidationError("--allow-new-grants goes with --in.") }
        } else {
            guard !suggest else { throw ValidationError("--suggest goes with --from.") }
            guard routes != nil else { throw ValidationError("--in needs --routes.") }
            guard rate == nil, !collectionsOnly, !excludeTombstones, missingAttachments == .keep else {
                throw ValidationError("--rate, --collections-only, --exclude-tombstones and --missing-attachments go with --from.")
            }
        }
        _ = try CollectionList.names(collections)
    }

    func run() async throws {
        if let from, let to { try await migrate(from, to) }
        if let from, suggest { try await suggestRoutes(from) }
        if let store { try await move(in: store) }
    }

    private func suggestRoutes(_ from: String) async throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let access = SourceEndpoint.Access(
            connection: connection, collections: try CollectionList.names(collections), target: scratch.path + "/suggest")
        let source = try await SourceEndpoint(from).open(access, ScriptEngine(), output.logger("migrate"))
        do {
            try await SuggestRoutes(options: suggestion, output: output).run(source)
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private func migrate(_ from: String, _ to: String) async throws {
        var options = MigrationOptions()
        // With a rate, a batch is limited to one second's documents, because a larger batch would be a burst.
        options.batch.documents = batch ?? min(options.batch.documents, rate ?? .max)
        options.rate = rate
        options.missingAttachments = missingAttachments
        options.imports = ImportOptions(collectionsOnly: collectionsOnly, excludesTombstones: excludeTombstones)
        let access = SourceEndpoint.Access(
            connection: connection, collections: try CollectionList.names(collections), target: try StagedServer.folder(of: to), rate: rate)
        try await MigrateFrom(
            from: from, target: try MigrationTarget(path: to, routes: routes), options: options, access: access, isDryRun: dryRun,
            verifies: verify, isPartial: partial, report: report, output: output
        ).run()
    }

    private func move(in path: String) async throws {
        let plan = try ConfigurationFile.readRoutes(routes ?? "")
        let location = try StoreLocation(path)
        let store = try await location.open(StoreOptions(createsIfMissing: false))
        // The route file's settings apply to this run. Other settings are those with which the store was last served.
        var configuration = try await DatabaseConfiguration.lastServed("store", from: store)
        configuration.collections = plan.collections
        configuration.routes = plan.routes
        let database = try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(), logger: output.logger("migrate"),
            use: dryRun ? .tried : .added)
        try await MigrateInPlace(
            database: database, path: "\(location)", routes: routes ?? "", batch: batch ?? 500, isDryRun: dryRun, reverts: revert,
            allowsNewGrants: allowNewGrants, report: report, output: output
        ).run()
        try await database.close()
    }
}

/// `--missing-attachments keep|quarantine`.
extension MigrationOptions.MissingAttachmentPolicy: ExpressibleByArgument {}
