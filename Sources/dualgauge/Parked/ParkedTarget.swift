import ArgumentParser

/// Parked revisions of a running bridge's database.
struct ParkedTarget: ParsableArguments {
    @OptionGroup var bridge: BridgeDatabase

    @Option(help: ArgumentHelp("Those of one replication only.", valueName: "name"))
    var replication: String?

    func connection() throws -> RemoteAdminConnection {
        // Many revisions may be tried, and the other side may be slow.
        try bridge.connection(patience: 3_600)
    }
}
