import Documents

/// All commands with their arguments, as the program itself describes them: so none is forgotten.
struct CommandTree: Sendable {
    struct Argument: Sendable {
        enum Kind: String, Sendable {
            case positional, option, flag
        }

        let kind: Kind
        /// With its dashes; empty for a positional one.
        let name: String
        let value: String
    }

    struct Command: Sendable {
        let path: [String]
        let arguments: [Argument]
    }

    let commands: [Command]

    /// - Parameter help: what `--experimental-dump-help` says.
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
