import ArgumentParser
import Server

/// A command that there is not, with the one that was probably meant.
struct UnknownCommand: Error {
    /// As it was typed, with the commands before it: `user ad`.
    let typed: String

    /// The nearest command that there is, likewise; `nil` if none is near.
    let nearest: String?

    /// - Returns: `nil` if every word that has to be a command is one.
    init?(_ arguments: [String], root: any ParsableCommand.Type = Dualgauge.self) {
        var command = root
        var path: [String] = []
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !argument.hasPrefix("-") else { return nil }
            // `dualgauge help user` names a command as `dualgauge user --help` does.
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

    /// What happened and what to do.
    var message: String {
        let guess = nearest.map { "; did you mean `\($0)`?" } ?? "."
        let group = typed.split(separator: " ").dropLast().map { " \($0)" }.joined()
        return "there is no command `\(typed)`\(guess)\n  See 'dualgauge\(group) --help' for all commands."
    }

    private static func nearest(_ word: String, _ names: [String]) -> String? {
        let word = word.lowercased()
        // The beginning of a command is near, too.
        if word.count > 1, let whole = names.first(where: { $0.hasPrefix(word) }) { return whole }
        let best = names.min { EditDistance.between(word, $0) < EditDistance.between(word, $1) }
        return best.flatMap { EditDistance.between(word, $0) <= max(1, $0.count / 3) ? $0 : nil }
    }
}
