import ArgumentParser
import CVersion
import Server
import Storage

/// The command line.
@main
struct Dualgauge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dualgauge",
        abstract: "One sync server for Couchbase Lite 1.x and 2.x+ clients, over one store.",
        discussion: """
            Serves the 1.x HTTP replication protocol and the 2.x+ WebSocket protocol from one store, and moves documents from \
            the default collection into collections without changing a revision.

            Begin with `dualgauge serve --config dualgauge.yaml`; samples/shop has a configuration to start from.

            Commands that ask a running bridge take the database's name and, where the bridge is elsewhere, --admin URL or DUALGAUGE_ADMIN. \
            Where its admin port wants a login: --admin-user or DUALGAUGE_ADMIN_USER, and DUALGAUGE_ADMIN_PASSWORD.

            Exit codes: 0 done, 1 done in part or verification failed, 2 usage or configuration, 3 source or target \
            unreachable, 4 refused by a gate.
            """,
        version: version,
        subcommands: [
            Serve.self, Migrate.self, Verify.self, QuarantineCommand.self, Replicate.self, ParkedCommand.self, CutoverCommand.self,
            FleetCommand.self, Explain.self, Check.self, Backup.self, Restore.self, Config.self, UserCommand.self, RoleCommand.self,
            SessionCommand.self, Demo.self,
        ]
    )

    /// The version, the schema of the stores that the program writes, and the commit from which it was built, if the build tells it.
    private static var version: String {
        let commit = String(cString: dualgauge_commit())
        return "\(ServerVersion.current) (schema \(SQLiteStore.schemaVersion)\(commit.isEmpty ? "" : ", commit \(commit)"))"
    }

    static func main() async {
        StandardStream.ignoreClosedPipes()
        do {
            if let unknown = UnknownCommand(Array(CommandLine.arguments.dropFirst())) { throw unknown }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Failure(error).exit()
        }
    }
}
