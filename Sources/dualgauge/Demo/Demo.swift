import ArgumentParser
import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Logging
import Migration
import Peers
import Scripting
import Server
import Storage
import Stores

/// `dualgauge demo`, which `make demo` runs.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a demonstration on the sample shop, with 1.x and 2.x+ clients.",
        discussion: """
            Starts a bridge, lets a 1.x client (push and pull over HTTP) and a 2.x+ client (one WebSocket, named collections) write \
            and read through it, migrates the default collection into collections, and prints a table that shows all of them \
            converged. Exits with 0 on convergence, 1 otherwise.
            """)

    @Option(help: "The folder with the sample's dualgauge.yaml and routes.yaml.", completion: .directory)
    var sample = "samples/shop"

    @Flag(help: "Leave the bridge running, and print its URLs.")
    var keep = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dualgauge-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scenario = try DemoScenario(sample: sample, folder: folder.path, output: output)
        let hasConverged = try await scenario.run()
        if keep { try await scenario.keepServing() }
        if !hasConverged { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}

/// The demonstration, step by step.
struct DemoScenario {
    private let configuration: ServerConfiguration
    private let database: DatabaseConfiguration
    private let store: String
    private let output: OutputOptions

    init(sample: String, folder: String, output: OutputOptions) throws {
        var configuration = try ConfigurationFile.read("\(sample)/dualgauge.yaml")
        guard let served = configuration.databases.first else {
            throw PeerError("\(sample)/dualgauge.yaml has no database")
        }
        store = "\(folder)/shop.dualgauge"
        configuration.listen.publicAddress.port = 0
        configuration.listen.adminAddress.port = 0
        configuration.databases = [.init(configuration: served.configuration, store: store)]
        database = served.configuration
        self.configuration = configuration
        self.output = output
    }

    /// - Returns: whether all clients hold the same documents.
    func run() async throws -> Bool {
        let sample = ShopSample.make()
        let revisions = sample.map { revision in
            PeerRevision(
                id: revision.id, history: revision.history, isDeleted: revision.isDeleted, body: revision.body,
                attachments: revision.attachments.map { .init(name: $0.name, contentType: $0.contentType, bytes: $0.bytes) })
        }
        show("1. A bridge without routes; a 1.x client pushes its \(revisions.count) revisions into one flat keyspace.")
        let phone = try await fill(revisions)
        show("2. The default collection moves into collections, by samples/shop/routes.yaml.")
        try await migrate()
        show("3. The bridge again, with routes: old and new clients write and read.")
        return try await withBridge(configuration) { url in
            try await converge(phone: await phone.moved(to: "http://\(url)"), url: url)
        }
    }

    func keepServing() async throws {
        let bridge = try await Bridge.open(configuration, logger: output.logger("dualgauge"))
        try await bridge.serve { publicPort, adminPort in
            print("1.x:   http://127.0.0.1:\(publicPort)/shop")
            print("2.x+:  ws://127.0.0.1:\(publicPort)/shop")
            print("admin: http://127.0.0.1:\(adminPort)/shop   (Ctrl-C stops)")
        }
    }

    private func fill(_ revisions: [PeerRevision]) async throws -> LegacyPeer {
        var flat = configuration
        flat.databases[0].configuration.routes = []
        return try await withBridge(flat) { url in
            let phone = LegacyPeer("http://\(url)/shop")
            try await phone.push(revisions)
            try await phone.pull()
            return phone
        }
    }

    private func migrate() async throws {
        let database = try await Database(
            configuration: database, store: try await StoreLocation(store).open(), scripts: ScriptEngine(), logger: output.logger("migrate")
        )
        let line = ProgressLine("moving", isQuiet: output.quiet)
        let summary = try await InPlaceMigration(database).run(progress: line.show)
        line.finish()
        show(MigrateReport(summary, isDryRun: false).rendered)
        try await database.close()
    }

    private func converge(phone: LegacyPeer, url: String) async throws -> Bool {
        let collections = ["_default", "sales.orders", "sales.customers", "catalog.products"]
        let tablet = ModernPeer("ws://\(url)/shop", collections: collections)
        let before = await phone.fetched
        try await phone.pull()
        let again = await phone.fetched - before
        show("   The 1.x client pulls: \(again) documents were sent again because of the move.")
        try await tablet.replicate()
        // Each generation writes documents for the other to read.
        try await phone.push(DemoEdits.byLegacyClient)
        try await tablet.replicate(push: DemoEdits.byModernClient)
        try await phone.pull()
        let comparison = await DemoComparison(legacy: phone.documents, modern: tablet.documents, collections: collections)
        show(comparison.rendered)
        return comparison.isConverged && again == 0
    }

    private func withBridge<Value: Sendable>(
        _ configuration: ServerConfiguration, _ work: @escaping @Sendable (String) async throws -> Value
    ) async throws -> Value {
        var logger = output.logger("dualgauge")
        logger.logLevel = max(logger.logLevel, .warning)
        let bridge = try await Bridge.open(configuration, logger: logger)
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let serving = Task { try await bridge.serve { publicPort, _ in announce.yield(publicPort) } }
        guard let port = await ports.first(where: { _ in true }) else { throw PeerError("The bridge did not start") }
        let result: Result<Value, any Error>
        do {
            result = .success(try await work("127.0.0.1:\(port)"))
        } catch {
            result = .failure(error)
        }
        try await bridge.stop()
        try await serving.value
        return try result.get()
    }

    private func show(_ text: String) {
        if !output.quiet { print(text) }
    }
}
