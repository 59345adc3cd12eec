import Foundation
import Yams

/// A place in a configuration file: a YAML node and the way to it, so that every complaint says where.
struct ConfigurationNode {
    let node: Node
    let path: String
    let environment: [String: String]
    var keyLine: Int?

    /// The line of the key, where there is one: a mapping as value begins on a line after it.
    var line: Int? { keyLine ?? node.mark?.line }

    func error(_ code: ConfigurationError.Code, _ message: String) -> ConfigurationError {
        ConfigurationError(code, at: path, line: line, message)
    }

    // MARK: Mappings

    /// The members of a mapping, after checking that all of them are known.
    func members(_ known: [String]) throws -> [String: ConfigurationNode] {
        let members = try anyMembers()
        for (key, value) in members where !known.contains(key) {
            let nearest = known.min { EditDistance.between(key, $0) < EditDistance.between(key, $1) }
            let hint = nearest.map { "; the nearest known one is `\($0)`" } ?? ""
            throw ConfigurationError(.unknownKey, at: value.path, line: value.line, "unknown key `\(key)`\(hint)")
        }
        return Dictionary(members, uniquingKeysWith: { first, _ in first })
    }

    /// The members of a mapping whose keys are names, in the file's order.
    func anyMembers() throws -> [(String, ConfigurationNode)] {
        if isNull { return [] }
        guard let mapping = node.mapping else { throw error(.badValue, "expected a mapping of keys to values") }
        var seen: Set<String> = []
        return try mapping.map { key, value in
            guard let name = key.string else { throw error(.badValue, "a key has to be text") }
            let child = ConfigurationNode(
                node: value, path: path.isEmpty ? name : "\(path).\(name)", environment: environment, keyLine: key.mark?.line)
            guard seen.insert(name).inserted else { throw child.error(.badValue, "the key `\(name)` stands here twice") }
            return (name, child)
        }
    }

    /// The items of a list.
    func items() throws -> [ConfigurationNode] {
        if isNull { return [] }
        guard let sequence = node.sequence else { throw error(.badValue, "expected a list") }
        return sequence.enumerated().map { ConfigurationNode(node: $1, path: "\(path)[\($0 + 1)]", environment: environment) }
    }

    var isNull: Bool { node.null != nil && node.scalar?.string != "~" || node.scalar.map { $0.string.isEmpty } ?? false }

    // MARK: Scalars

    /// A text, with `${NAME}` taken from the environment; `$${` stands for `${`.
    func text() throws -> String {
        guard let scalar = node.scalar else { throw error(.badValue, "expected a text") }
        return try substitute(scalar.string)
    }

    func bool() throws -> Bool {
        switch try text() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        case let other: throw error(.badValue, "expected true or false, not `\(other)`")
        }
    }

    func int(in range: ClosedRange<Int>) throws -> Int {
        let text = try text()
        guard let number = Int(text), range.contains(number) else {
            throw error(.badValue, "expected a whole number from \(range.lowerBound) to \(range.upperBound), not `\(text)`")
        }
        return number
    }

    /// A number of bytes, such as `20MiB`.
    func size(in range: ClosedRange<Int>) throws -> Int {
        let text = try text()
        guard let size = Quantity.size(text), range.contains(size) else {
            throw error(.badValue, "expected a size such as `20MiB`, `512KiB` or a number of bytes, not `\(text)`")
        }
        return size
    }

    /// A time, such as `5m`.
    func duration() throws -> Duration {
        let text = try text()
        guard let duration = Quantity.duration(text) else {
            throw error(.badValue, "expected a time such as `30s`, `5m`, `2h` or `1d`, not `\(text)`")
        }
        return duration
    }

    func texts() throws -> [String] {
        try items().map { try $0.text() }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw error(.badValue, "expected one of \(names), not `\(text)`")
        }
        return choice
    }

    private func substitute(_ text: String) throws -> String {
        guard text.contains("${") else { return text }
        var result = ""
        var rest = Substring(text)
        while let start = rest.range(of: "${") {
            let before = rest[..<start.lowerBound]
            result += before
            // `$${NAME}` stands for the text `${NAME}`, which some JavaScript has.
            if before.hasSuffix("$") {
                result += "{"
                rest = rest[start.upperBound...]
                continue
            }
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw error(.badValue, "`${` without a closing brace")
            }
            let name = String(rest[start.upperBound..<end])
            guard let value = environment[name] else {
                throw error(.missingVariable, "the environment has no variable `\(name)`; set it or write the value")
            }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
