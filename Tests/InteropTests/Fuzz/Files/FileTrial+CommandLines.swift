import Foundation
import TestSupport

extension FileTrial {
    /// Excluded from trials: the first takes long, the second belongs to another test.
    private static let left = ["demo", "help"]

    /// Options with which a program intentionally runs forever.
    private static let endless = ["--continuous", "--help", "--version"]

    /// A command with arguments that are valid, wrong, at their boundaries, missing or unknown.
    mutating func playCommandLine() async throws {
        try folder.copy(base.store, to: "shop.dualgauge")
        try folder.write(TrialBase.dump, to: "dump.jsonl")
        try folder.write(Array((Self.head + Self.tail).utf8), to: "good.yaml")
        let command = maker.random.pick(base.commands.commands.filter { !Self.left.contains($0.path.first ?? "") })
        var arguments = command.path
        // A command that finds a configuration would serve it.
        if command.path == ["serve"] { arguments += ["--config", maker.random.pick(["none.yaml", "dump.jsonl", ".", ""])] }
        if command.arguments.contains(where: { $0.name == "--max-attempts" }) { arguments += ["--max-attempts", "1"] }
        for argument in command.arguments
        where !Self.endless.contains(argument.name) && !(command.path == ["serve"] && argument.name == "--config") {
            switch argument.kind {
            case .positional: if maker.random.number(0...9) > 0 { arguments.append(value(argument)) }
            case .flag: if maker.random.once(in: 8) { arguments.append(argument.name) }
            case .option: if maker.random.once(in: 4) { arguments += [argument.name, value(argument)] }
            }
        }
        let isNonsense = maker.random.once(in: 5)
        if isNonsense {
            arguments.insert(
                maker.random.pick(["--nonsense", "--nonsense=1", "--=", "-Z"]),
                at: maker.random.number(command.path.count...arguments.count))
        }
        // An unknown option is never ignored.
        try check(
            try await folder.run(arguments), of: Array(arguments.joined(separator: " ").utf8), codes: isNonsense ? [2] : [0, 1, 2, 3, 4])
    }

    private mutating func value(_ argument: CommandTree.Argument) -> String {
        if maker.random.once(in: 3) { return boundary() }
        switch argument.value {
        case "store", "in", "to", "a", "b": return maker.random.pick(["shop.dualgauge", "shop.dualgauge", "new.dualgauge", "dump.jsonl"])
        case "from": return maker.random.pick(["dump.jsonl", "shop.dualgauge", "http://127.0.0.1:1/x"])
        case "file", "files", "report", "output": return maker.random.pick(["out", "dump.jsonl", "good.yaml"])
        case "routes", "config": return maker.random.pick(["good.yaml", "none.yaml"])
        case "url", "admin-url": return String(decoding: maker.text(.known(.remote)), as: UTF8.self)
        default: return maker.random.pick(["shop", "anna", "d1", "1", "a", "sales.orders", "a=b", "x:y", "all"])
        }
    }

    /// A value at the boundaries that leads to no path outside the folder. NUL cannot be in an argument.
    private mutating func boundary() -> String {
        let value =
            maker.random.once(in: 2)
            ? maker.random.pick(Boundaries.numbers)
            : maker.random.once(in: 3)
                ? maker.random.pick(Boundaries.values(of: .remote))
                : String(decoding: maker.random.pick(Boundaries.texts).filter { $0 != 0 }, as: UTF8.self)
        let isPath = !value.contains("://") && (value.contains("/") || value.contains(".."))
        return isPath ? "x" : value
    }
}
