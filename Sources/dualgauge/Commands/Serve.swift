import ArgumentParser
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
        let configuration = try read()
        let logging = OutputOptions.log(configuration.logging)
        let bridge = try await Bridge.open(configuration, logger: logging.logger("dualgauge"), logging: logging)
        try await bridge.run { try read() }
    }

    /// The file, with what the command line says in its place.
    private func read() throws -> ServerConfiguration {
        var configuration = try ConfigurationFile.read(config)
        if output.json { configuration.logging.format = .json }
        if let level = output.givenLevel {
            configuration.logging.level = level
            configuration.logging.domains = [:]
        }
        return configuration
    }
}
