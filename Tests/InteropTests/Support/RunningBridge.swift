import Authentication
import BridgeConfiguration
import Gateway
import Logging
import Server
import Storage
import Stores
import Telemetry
import TestSupport
import Testing

/// A bridge in the test process, with a store of its own, on ports of its own.
struct RunningBridge: Sendable {
    struct NeverReady: Error {}

    let port: Int
    let adminPort: Int

    /// The bridge's store, opened a second time.
    let store: any StoreEngine
    let bridge: Bridge

    var url: String { "http://127.0.0.1:\(port)" }
    var adminURL: String { "http://127.0.0.1:\(adminPort)" }

    /// Runs a bridge with the database `shop`, and stops it after the test's body.
    ///
    /// - Parameter folder: The folder of its stores, for a restart.
    static func run(
        _ configure: (inout DatabaseConfiguration) -> Void = { _ in },
        serving serve: (inout ServerConfiguration.ServedDatabase) throws -> Void = { _ in },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        logging: LogControl? = nil, tracer: BridgeTracer? = nil, in folder: TemporaryFolder? = nil, allowsFlush: Bool = false,
        listening listen: (inout ListenConfiguration) -> Void = { _ in },
        configuring change: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: @Sendable (RunningBridge) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        var database = DatabaseConfiguration(name: "shop")
        database.guest = GuestConfiguration(isEnabled: true, channels: ["*"])
        database.collections = [CollectionConfiguration(name: CollectionName(scope: "sales", name: "orders"))]
        database.routes = [
            Route(to: CollectionName(scope: "sales", name: "orders"), when: .property(name: "type", equals: .string("order")))
        ]
        configure(&database)
        var configuration = ServerConfiguration()
        configuration.listen.publicAddress.port = 0
        configuration.listen.adminAddress.port = 0
        listen(&configuration.listen)
        configuration.databasesFolder = "\(folder.path)/databases"
        configuration.allowsFlush = allowsFlush
        var served = ServerConfiguration.ServedDatabase(
            configuration: database, store: try TestStores.location("\(folder.path)/shop.dualgauge"))
        served.access.passwordCost = .configured(ScryptCost.configurable.lowerBound)
        try serve(&served)
        configuration.databases = [served]
        try change(&configuration)
        let bridge = try await Bridge.open(configuration, logger: logging?.logger("test") ?? logger, logging: logging, tracer: tracer)
        let store = try await configuration.databases[0].store.open()
        let (ports, continuation) = AsyncStream.makeStream(of: RunningBridge.self)
        let serving = Task {
            defer { continuation.finish() }
            try await bridge.serve { continuation.yield(RunningBridge(port: $0, adminPort: $1, store: store, bridge: bridge)) }
        }
        guard let running = await ports.first(where: { _ in true }) else {
            try await serving.value
            throw NeverReady()
        }
        do {
            try await body(running)
        } catch {
            try await bridge.stop()
            try await store.close()
            throw error
        }
        try await bridge.stop()
        try await serving.value
        try await store.close()
    }

    func connect() throws -> RawSocket { try RawSocket(port: port) }

    /// Expects that the bridge is not affected: it replies, and its store is intact.
    func expectSound(after what: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await ask("GET", "/shop/").status == 200, "after \(what)", sourceLocation: sourceLocation)
        try await expectSoundStore(after: what, sourceLocation: sourceLocation)
    }

    /// Expects that its store is intact.
    func expectSoundStore(after what: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = try await store.check()
        #expect(report.isSound, "after \(what): \(report.problems)", sourceLocation: sourceLocation)
    }

    /// One request over a connection of its own.
    func ask(_ method: String, _ path: String, _ body: String = "", headers: String = "") async throws -> RawAnswer {
        let socket = try connect()
        defer { socket.cut() }
        return try await socket.ask(method, path, body, headers: headers)
    }
}
