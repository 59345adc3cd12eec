import ArgumentParser
import BridgeConfiguration
import CVersion
import Server
import Storage
import Stores

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

            Commands for a running bridge take the database's name and, for a bridge at another address, --admin URL or DUALGAUGE_ADMIN. \
            If its admin port requires a login: --admin-user or DUALGAUGE_ADMIN_USER, and DUALGAUGE_ADMIN_PASSWORD.

            Exit codes: 0 done, 1 done in part or verification failed, 2 usage or configuration, 3 source or target \
            unreachable, 4 refused by a gate.
            """,
        version: version,
        subcommands: [
            Serve.self, Migrate.self, Verify.self, QuarantineCommand.self, Replicate.self, ParkedCommand.self, CutoverCommand.self,
            FleetCommand.self, Explain.self, Check.self, Backup.self, Restore.self, CopyCommand.self, Config.self, UserCommand.self,
            RoleCommand.self,
            SessionCommand.self, Demo.self,
        ]
    )

    /// The version, the schema of stores that the program writes, and the commit of the build if it is known.
    private static var version: String {
        let commit = String(cString: dualgauge_commit())
        return "\(ServerVersion.current) (schema \(StoreSchemas.sqlite)\(commit.isEmpty ? "" : ", commit \(commit)"))"
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

/// An unknown command, with the nearest known command.
struct UnknownCommand: Error {
    /// The command as typed, with its parent commands: `user ad`.
    let typed: String

    /// The nearest known command with its parent commands; `nil` if none is near.
    let nearest: String?

    /// - Returns: `nil` if all command words are known.
    init?(_ arguments: [String], root: any ParsableCommand.Type = Dualgauge.self) {
        var command = root
        var path: [String] = []
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !argument.hasPrefix("-") else { return nil }
            // `dualgauge help user` is equivalent to `dualgauge user --help`.
            if argument == "help" { continue }
            guard let found = commands.first(where: { $0._commandName == argument }) else {
                typed = (path + [argument]).joined(separator: " ")
                nearest = Self.nearest(argument, commands.map { $0._commandName }).map { (path + [$0]).joined(separator: " ") }
                return
            }
            command = found
            path.append(argument)
        }
        return nil
    }

    /// The problem, and what to do.
    var message: String {
        let guess = nearest.map { "; did you mean `\($0)`?" } ?? "."
        let group = typed.split(separator: " ").dropLast().map { " \($0)" }.joined()
        return "there is no command `\(typed)`\(guess)\n  See 'dualgauge\(group) --help' for all commands."
    }

    private static func nearest(_ word: String, _ names: [String]) -> String? {
        let word = word.lowercased()
        // A prefix of a command also counts as near.
        if word.count > 1, let whole = names.first(where: { $0.hasPrefix(word) }) { return whole }
        let best = names.min { EditDistance.between(word, $0) < EditDistance.between(word, $1) }
        return best.flatMap { EditDistance.between(word, $0) <= max(1, $0.count / 3) ? $0 : nil }
    }
}
