import ArgumentParser
import Documents

/// The running bridge, and the parked revisions of one of its databases.
struct ParkedTarget: ParsableArguments {
    @Argument(help: "The database's name.")
    var database: String

    @Option(help: ArgumentHelp("The admin port of the running bridge.", valueName: "url"))
    var admin = "http://127.0.0.1:4985"

    @Option(help: ArgumentHelp("Those of one replication only.", valueName: "name"))
    var replication: String?

    func connection() throws -> RemoteAdminConnection {
        let base = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
        // Many revisions may be tried, and the other side may be slow.
        return try RemoteAdminConnection("\(base)/\(RemoteAdminConnection.segment(database))", seconds: 3_600)
    }
}
