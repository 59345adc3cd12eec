package import BridgeConfiguration
import CMalloc
import Coordination
import CoreMetrics
import Foundation
import Gateway
import HTTPListener
import LegacyServer
package import Logging
import ModernServer
import Scripting
import Storage
package import Supervision
package import Telemetry
import UnixSignals

/// The running bridge: its databases, the public port and the admin port.
package final class Bridge: Sendable {
    package let configuration: ServerConfiguration
    let databases: DatabaseRegistry
    let tls: ReloadableTLS?
    let adminTLS: ReloadableTLS?

    /// Authentication and permissions of the admin port.
    let adminAccess: AdminAccess
    let audit: AuditLog
    let publicServer: HTTPServer
    let adminServer: HTTPServer
    let logger: Logger

    /// The log's settings; `nil` if the embedding program controls the log.
    let logging: LogControl?

    /// The listeners of both ports for 1.x clients.
    let legacyListeners: [LegacyListener]

    /// The logging, the limits and the drain time of the last applied configuration file.
    let file: Lock<(logging: LogSettings, limits: ServerLimits, drainTime: Duration)>

    /// The smallest block of memory that goes back to the system when it is freed, in bytes.
    ///
    /// glibc raises its own limit to up to 32 MiB with the first such block. It takes later ones from heaps, of which each thread has its own, and returns
    /// little of them: after forty readers of a document of 15 MB the process kept 290 MB, and keeps 98 MB with this limit.
    private static let mappedBlock: Int32 = 1 << 20

    /// The resources opened before the bridge serves.
    private struct Parts {
        let databases: DatabaseRegistry
        let tls: ReloadableTLS?
        let adminTLS: ReloadableTLS?
        let adminAccess: AdminAccess
        let audit: AuditLog
    }

    private init(configuration: ServerConfiguration, _ parts: Parts, logger: Logger, logging: LogControl?) {
        self.configuration = configuration
        self.logger = logger
        self.logging = logging
        (databases, tls, adminTLS, adminAccess, audit) = (parts.databases, parts.tls, parts.adminTLS, parts.adminAccess, parts.audit)
        file = Lock((configuration.logging, configuration.limits, configuration.listen.drainTime))
        let gate = AdminGate(
            guardian: AdminGuard(address: configuration.listen.adminAddress), access: parts.adminAccess, audit: parts.audit,
            logger: logger.of(.admin))
        let certificates = [PortKind.public: parts.tls, .admin: parts.adminTLS].compactMapValues(\.self)
        let dispatchers = [nil, gate].map { gate in
            Dispatcher(
                databases: parts.databases, serverName: configuration.serverHeader, logger: logger, logging: logging, gate: gate,
                certificates: certificates)
        }
        legacyListeners = dispatchers.map(\.legacy)
        dualgauge_map_blocks_from(Self.mappedBlock)
        let files = OpenFiles.raised()
        let available = files.connections(besides: parts.databases.names.count)
        if available < configuration.limits.connections {
            logger.warning(
                "the limit of open files is low: fewer connections than `limits.connections` are accepted; raise the limit (ulimit -n)",
                metadata: ["files": "\(files.limit)", "connections": "\(available)"])
        }
        func server(_ port: PortKind, _ dispatcher: Dispatcher, most: Int, tls: ReloadableTLS?) -> HTTPServer {
            var limits = HTTPServerLimits()
            limits.connections = min(configuration.limits.connections, most)
            let address = configuration.listen.address(of: port)
            return HTTPServer(
                configuration: HTTPServerConfiguration(
                    host: address.host, port: address.port,
                    socket: configuration.listen.socket(of: port, parts.databases.supervisor), serverName: configuration.serverHeader,
                    tls: tls, limits: limits,
                    memory: parts.databases.memory),
                logger: logger.of(.http), handler: dispatcher.respondTraced)
        }
        publicServer = server(.public, dispatchers[0], most: available, tls: parts.tls)
        adminServer = server(
            .admin, dispatchers[1], most: available < configuration.limits.connections ? OpenFiles.admin : available,
            tls: parts.adminTLS)
    }

    /// Opens the stores of all databases.
    ///
    /// - Parameters:
    ///   - logging: the settings that `_logging` on the admin port shows and changes. Without them, `_logging` does not exist.
    ///   - tracer: makes spans; by default the tracer that the process has bootstrapped.
    /// - Throws: ``ListenError``, `ConfigurationError`, `GatewayError` or `StorageError`. Nothing is served then.
    package static func open(
        _ configuration: ServerConfiguration, logger: Logger, logging: LogControl? = nil, tracer: BridgeTracer? = .process
    ) async throws -> Bridge {
        try await open(configuration, supervisor: SupervisorConnection(), logger: logger, logging: logging, tracer: tracer)
    }

    /// Opens the stores of all databases, for a process that may be supervised.
    ///
    /// The metrics are the bridge's own. They also go to the metrics system that the process has bootstrapped before.
    package static func open(
        _ configuration: ServerConfiguration, supervisor: SupervisorConnection, logger: Logger, logging: LogControl? = nil,
        tracer: BridgeTracer? = .process
    ) async throws -> Bridge {
        let metrics = MetricsRegistry(beside: MetricsSystem.factory)
        let listen = configuration.listen
        let tls = try listen.tls.map { try $0.reloadable(at: "listen.tls") }
        let adminTLS = try listen.adminTLS.map { try $0.reloadable(at: "listen.adminTLS") }
        let access = try await AdminAccess(configuration.adminAuth, metrics: metrics)
        let audit = try AuditLog(file: configuration.auditFile, logger: logger.of(.admin))
        // Checked before a store is created or a replication starts.
        for port in PortKind.allCases where listen.socket(of: port, supervisor) == nil {
            let address = listen.address(of: port)
            do {
                try await HTTPServer.probe(host: address.host, port: address.port)
            } catch {
                throw ListenError(address: address, cause: error)
            }
        }
        let databases = try await DatabaseRegistry.open(
            configuration, supervisor: supervisor, metrics: metrics, tracer: tracer, logger: logger)
        let parts = Parts(databases: databases, tls: tls, adminTLS: adminTLS, adminAccess: access, audit: audit)
        return Bridge(configuration: configuration, parts, logger: logger, logging: logging)
    }

    /// Serves until SIGTERM or SIGINT and for the drain time after it, then ends feeds and closes the stores.
    ///
    /// - Parameter source: reads the configuration again at each SIGHUP.
    package func run(reloading source: @escaping ConfigurationReader) async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let reloading = Task { await reload(on: signals, from: source) }
        defer { reloading.cancel() }
        try await closingDatabases {
            try await self.runUntilSignal()
            self.databases.supervisor.stop()
        }
        logger.info("stopped")
    }

    private func runUntilSignal() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let ending = Task { await end(at: signals) }
        defer { ending.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.announcing { try await self.servePorts() } }
            group.addTask { await self.announce() }
            try await group.waitForAll()
        }
    }

    /// Announces the public port in the network until the bridge ends, if that is configured.
    func announcing(_ work: () async throws -> Void) async throws {
        guard let settings = configuration.listen.discovery else { return try await work() }
        let announcer = DiscoveryAnnouncer(settings, logger: logger)
        let starting = Task {
            let texts = ["version=\(ServerVersion.current)", "tls=\(tls == nil ? 0 : 1)"] + databases.names.prefix(100).map { "db=\($0)" }
            announcer.start(port: try await self.publicServer.port(), texts: texts)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        // The port is known, or has failed, when the server has ended.
        _ = await starting.result
        await announcer.stop()
        try result.get()
    }

    /// Serves until ``stop()``, for programs that embed a bridge.
    ///
    /// - Parameter ready: receives the public and the admin port once both listen.
    package func serve(ready: @escaping @Sendable (_ publicPort: Int, _ adminPort: Int) -> Void) async throws {
        try await closingDatabases {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.announcing { try await self.servePorts() } }
                group.addTask { ready(try await self.publicServer.port(), try await self.adminServer.port()) }
                try await group.waitForAll()
            }
        }
    }

    /// Runs `work` and closes the databases afterwards, also after an error.
    private func closingDatabases(_ work: @Sendable () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            try? await databases.close()
            throw error
        }
        try await databases.close()
    }

    /// Serves both ports until ``stop()``. If one port fails to listen, the other is closed.
    func servePorts() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run(self.publicServer, at: self.configuration.listen.publicAddress) }
            group.addTask { try await self.run(self.adminServer, at: self.configuration.listen.adminAddress) }
            do {
                while try await group.next() != nil {}
            } catch {
                // An orderly stop: a cancelled server would log an error of its own.
                try? await stop()
                throw error
            }
        }
    }

    private func run(_ server: HTTPServer, at address: ListenAddress) async throws {
        do {
            try await server.run()
        } catch {
            throw ListenError(address: address, cause: error)
        }
    }

    /// Logs both ports' addresses once they listen. Logs nothing if one does not.
    private func announce() async {
        guard let publicPort = try? await publicServer.port(), let adminPort = try? await adminServer.port() else { return }
        let listen = configuration.listen
        databases.supervisor.serve()
        logger.info(
            "serving",
            metadata: [
                "public": "\(ListenAddress(host: listen.publicAddress.host, port: publicPort))",
                "admin": "\(ListenAddress(host: listen.adminAddress.host, port: adminPort))",
                "databases": "\(databases.names.joined(separator: ", "))",
            ])
        guard !listen.adminAddress.isLoopback else { return }
        if !adminAccess.isRequired {
            logger.warning("other machines can reach the admin port, which requires no login; set `adminAuth`, or listen on 127.0.0.1")
        } else if listen.adminTLS == nil {
            logger.warning("passwords of the admin port cross the network unencrypted; set `listen.adminTLS`, or listen on 127.0.0.1")
        }
    }
}
