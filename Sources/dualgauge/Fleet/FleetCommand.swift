import ArgumentParser
import Documents

/// `dualgauge fleet DB`.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Every client seen: user, generation, version, last seen, and its distance to the end of the feed.",
        discussion: """
            Every checkpoint that a client writes is a sighting, and so is every request of a 1.x client at the public port. Generation 1 are \
            clients of the 1.x protocol (Couchbase Lite 1.x, PouchDB, CouchDB), 2 those of 2.x and 3.0 without collections, 3 those with \
            collections, 0 replicators of this bridge. Checkpoints and requests of one user with the same software are one line; devices are \
            counted as far as they can be distinguished. The address is that of the last request. For a database in PostgreSQL the \
            bridges are listed, too, with their open connections and the lease for the work that must run once.

              dualgauge fleet shop
              dualgauge fleet shop --generation 1 --since 7d
              dualgauge fleet shop --admin http://bridge.example.com:4985 --limit 1000 --json
              dualgauge fleet shop.dualgauge
            """)

    @OptionGroup var target: DatabaseTarget

    @Option(help: ArgumentHelp("Only clients of this generation.", valueName: "0-3"))
    var generation: Int?

    @Option(help: ArgumentHelp("Seen within this time (30d, 12h), or since a time (2026-11-01).", valueName: "time"))
    var since = "30d"

    @Option(help: "The maximum number of clients to list; all are counted.")
    var limit = 50

    @Option(help: "The number of clients to skip; the list begins with the client seen last.")
    var skip = 0

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let json = try await target.connect(output.logger("fleet")) { try await $0.ask("GET", path).json }
        try AccountAction.show(json, output, text: FleetText(json, name: target.name).rendered)
    }

    private var path: String {
        let generation = generation.map { "&generation=\($0)" } ?? ""
        return "_fleet?since=\(RemoteAdminConnection.segment(since))&limit=\(limit)&skip=\(skip)\(generation)"
    }
}
