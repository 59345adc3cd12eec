import ArgumentParser
import Logging
import Server

/// `dualgauge serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the bridge.",
        discussion: """
            Serves every database of the configuration on one public port, for 1.x clients over HTTP and for 2.x+ clients over \
            one WebSocket, and on one admin port. SIGTERM and SIGINT stop it cleanly. SIGHUP reads the configuration and the certificates \
            anew; one that cannot be used is refused, and the old one goes on. With --json each line of the log is a JSON object.

            Exit codes: 0 stopped by a signal; 2 the configuration, or an address that cannot be listened at; 3 a store that cannot be opened.
            """)

    @Option(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var config = "dualgauge.yaml"

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let file = await ConfigurationFile.check(config)
        let configuration = try configuration(of: file)
        let logging = OutputOptions.log(configuration.logging)
        let logger = logging.logger("dualgauge")
        warn(of: file, logger)
        let bridge = try await Bridge.open(configuration, logger: logger, logging: logging)
        try await bridge.run {
            let file = await ConfigurationFile.check(config)
            let configuration = try self.configuration(of: file)
            warn(of: file, logger)
            return configuration
        }
    }

    private func warn(of file: CheckedFile<ServerConfiguration>, _ logger: Logger) {
        for warning in file.warnings { logger.warning("the configuration deserves a look", metadata: ["warning": "\(warning)"]) }
    }

    /// What the file says, with what the command line says in its place.
    private func configuration(of file: CheckedFile<ServerConfiguration>) throws -> ServerConfiguration {
        var configuration = try file.get()
        if output.json { configuration.logging.format = .json }
        if let level = output.givenLevel {
            configuration.logging.level = level
            configuration.logging.domains = [:]
        }
        return configuration
    }
}
