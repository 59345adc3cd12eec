import ArgumentParser
import BridgeConfiguration
import Foundation
import Gateway
import Logging
import ReplicationService
import Scripting
import Server

/// `dualgauge replicate`.
struct Replicate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replicate a store with a server, or with another store.",
        discussion: """
            One end is a store; the other is a server or a second store. A URL's scheme chooses the protocol: ws: and wss: are 2.x+ servers, \
            http: and https: 1.x servers. --push goes from the store to the server, --pull the other way; between two stores the one \
            of --from pushes.

            Continues where it stopped, and transfers nothing twice. Ctrl-C finishes the present transfers and saves the checkpoint; a second \
            Ctrl-C ends at once.

              dualgauge replicate --from wss://old.example.com/shop --to shop.dualgauge --pull --user waldo:secret
              dualgauge replicate --from shop.dualgauge --to ws://127.0.0.1:4984/shop --continuous
              dualgauge replicate --discover

            --discover lists the bridges that announce themselves in the local network (`listen.discovery`), with the URLs of their databases. \
            Everybody in the network can announce a name: check the certificate of the one that you choose.

            Exit codes: 0 done, 1 done in part, 2 usage, credentials or another setting that the other side does not accept, 3 unreachable.
            """)

    @Option(help: "A store's folder, or a server's URL.")
    var from: String?

    @Option(help: "A store's folder, or a server's URL. A store that does not exist is created.")
    var to: String?

    @Flag(help: "List the bridges in the local network, and replicate nothing.")
    var discover = false

    @Flag(help: "Only push.")
    var push = false

    @Flag(help: "Only pull.")
    var pull = false

    @Flag(help: "Continue after everything is replicated, and replicate further changes until Ctrl-C.")
    var continuous = false

    @Flag(help: "Ignore the checkpoint, and compare everything again.")
    var resetCheckpoint = false

    @OptionGroup(title: "What is replicated") var selection: ReplicateSelection
    @OptionGroup(title: "The connection") var connection: ReplicateConnection
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !(push && pull) else { throw ValidationError("--push and --pull: leave out both to do both.") }
        guard discover else { return _ = try ends() }
        guard from == nil, to == nil else { throw ValidationError("--discover replicates nothing; leave out --from and --to.") }
    }

    private func ends() throws -> ReplicateEndpoints {
        guard let from else { throw ValidationError("Missing expected argument '--from <from>'") }
        guard let to else { throw ValidationError("Missing expected argument '--to <to>'") }
        return try ReplicateEndpoints(from: from, to: to)
    }

    func run() async throws {
        guard !discover else { return try await DiscoveredListeners.show(output) }
        let ends = try ends()
        var logger = output.logger("replicate")
        // The command prints progress and errors itself, so that the log needs no messages below `warning`.
        if !output.verbose { logger.logLevel = max(logger.logLevel, .warning) }
        let scripts = ScriptEngine()
        let names = try selection.names()
        // Options are validated before a store is created.
        var definition = try self.definition(ReplicationTarget.server(try ends.server ?? RemoteAddress("ws://store/store")), names)
        try definition.validate()
        if ends.server?.isLegacy != true { definition.prefersVersions = definition.prefersVersions ?? true }
        let interruption = Interruption()
        defer { interruption.end() }
        let local = try await LocalStore.open(ends.local, creating: ends.createsLocal, collections: names, scripts, logger)
        do {
            var other: Database?
            if let path = ends.otherStore {
                let opened = try await LocalStore.open(path, creating: true, collections: names, scripts, logger)
                definition.target = .database(opened)
                other = opened
            }
            let replication = try ReplicationBuilder(database: local, scripts: scripts, logger: logger).build(definition, id: "replicate")
            let end = await ReplicateSession(replication, definition, resets: resetCheckpoint, interruption, output).run()
            try await other?.close()
            try await local.close()
            try end.exit()
        } catch {
            try? await local.close()
            throw error
        }
    }

    private func definition(_ target: ReplicationTarget, _ names: [CollectionName]) throws -> ReplicationDefinition {
        var definition = ReplicationDefinition(target: target)
        definition.direction = push ? .push : pull ? .pull : .pushAndPull
        definition.continuous = continuous
        definition.collections = names.map { ReplicatedName($0) }
        try selection.apply(to: &definition)
        try connection.apply(to: &definition)
        return definition
    }
}
