import ArgumentParser
import BridgeConfiguration
import Logging
import Server
import Supervision

/// `dualgauge serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the bridge.",
        discussion: """
            Serves every database of the configuration on one public port, for 1.x clients over HTTP and for 2.x+ clients over one WebSocket, and \
            on one admin port. SIGTERM and SIGINT stop it cleanly. SIGHUP reads the configuration and the certificates again; an invalid \
            configuration is refused, and the old one stays in use. With --json each line of the log is a JSON object.

            A small supervisor starts the bridge, and restarts it at once if a fault or a signal has ended it; clients wait meanwhile. Once the \
            bridge has served, it is restarted after errors, too. A database or replication that ends the bridge twice at its start is held back. \
            If another program restarts the process, --no-supervisor runs the bridge without the supervisor.

            Exit codes: 0 stopped by a signal; 2 the configuration, or an address that cannot be listened at; 3 a store that cannot be opened.
            """)

    @Option(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config = "dualgauge.yaml"

    @Flag(name: .customLong("no-supervisor"), help: "Run the bridge in this process, for containers and services that restart it.")
    var isAlone = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let connection = SupervisorConnection.inherited()
        let manager = ServiceManager.inherited()
        if connection == nil, !isAlone, let code = try await supervise(manager) { throw ExitCode(code) }
        try await serve(connection ?? SupervisorConnection(manager: manager))
    }

    /// Runs the bridge in a child process under a supervisor.
    ///
    /// - Returns: The exit code; `nil` if the configuration is invalid. The unsupervised start then reports all errors.
    private func supervise(_ manager: ServiceManager?) async throws -> Int32? {
        guard let configuration = try? configuration(of: ConfigurationFile.read(config)) else { return nil }
        let listen = configuration.listen
        let sockets = try PortKind.allCases.map { port in
            let address = listen.address(of: port)
            do {
                return try ListeningSocket(name: listen.socketName(of: port), host: address.host, port: address.port)
            } catch {
                throw ListenError(address: address, cause: error)
            }
        }
        let logger = OutputOptions.log(configuration.logging).logger("dualgauge")
        return try await Supervisor(arguments: CommandLine.arguments, sockets: sockets, manager: manager, logger: logger).run()
    }

    private func serve(_ connection: SupervisorConnection) async throws {
        let file = await ConfigurationFile.check(config)
        let configuration = try configuration(of: file.get())
        let logging = OutputOptions.log(configuration.logging)
        let logger = logging.logger("dualgauge")
        warn(of: file, logger)
        // Opening large stores takes long, so heartbeats start before that.
        let heartbeats = Task { await connection.sendHeartbeats() }
        defer { heartbeats.cancel() }
        let bridge = try await Bridge.open(configuration, supervisor: connection, logger: logger, logging: logging)
        try await bridge.run {
            let file = await ConfigurationFile.check(config)
            let configuration = try self.configuration(of: file.get())
            warn(of: file, logger)
            return configuration
        }
    }

    private func warn(of file: CheckedFile<ServerConfiguration>, _ logger: Logger) {
        for warning in file.warnings { logger.warning("the configuration has a warning", metadata: ["warning": "\(warning)"]) }
    }

    /// Applies the command line's overrides to the configuration.
    private func configuration(of file: ServerConfiguration) -> ServerConfiguration {
        var configuration = file
        if output.json { configuration.logging.format = .json }
        if let level = output.givenLevel {
            configuration.logging.level = level
            configuration.logging.domains = [:]
        }
        return configuration
    }
}
