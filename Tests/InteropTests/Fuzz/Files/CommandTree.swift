import Documents

/// All commands with their arguments, from the program's own description, so that none is left out.
struct CommandTree: Sendable {
    struct Argument: Sendable {
        enum Kind: String, Sendable {
            case positional, option, flag
        }

        let kind: Kind
        /// With its dashes; empty for a positional argument.
        let name: String
        let value: String
    }

    struct Command: Sendable {
        let path: [String]
        let arguments: [Argument]
    }

    let commands: [Command]

    /// - Parameter help: The output of `--experimental-dump-help`.
    init(_ help: String) throws {
        commands = Self.commands(try JSONValue(Array(help.utf8))["command"] ?? .null, [])
    }

    private static func commands(_ json: JSONValue, _ path: [String]) -> [Command] {
        let subcommands = json["subcommands"]?.array ?? []
        let arguments = (json["arguments"]?.array ?? []).compactMap { argument -> Argument? in
            guard let kind = argument["kind"]?.string.flatMap({ Argument.Kind(rawValue: $0) }) else { return nil }
            let name = argument["names"]?.array?.last?["name"]?.string
            return Argument(kind: kind, name: name.map { "--\($0)" } ?? "", value: argument["valueName"]?.string ?? "")
        }
        let own = subcommands.isEmpty ? [Command(path: path, arguments: arguments)] : []
        return own + subcommands.flatMap { commands($0, path + [$0["commandName"]?.string ?? ""]) }
    }
}
