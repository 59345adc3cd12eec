import Foundation

/// A command in a page's `console` blocks: a line that begins with `$ `, and the output below it.
struct ConsoleCommand: Sendable {
    /// The number of its line in the page.
    let line: Int

    let text: String

    /// The expected output lines. `…` matches any text within a line, a line `…` any lines.
    var output: [String] = []

    /// A server runs until the end of all commands. Its expected lines may come in any order, between others.
    var isServer: Bool { text.hasPrefix("dualgauge serve") }

    /// Whether the page asks to repeat the command until its output matches.
    var isRepeated: Bool { text.contains("# again until") }

    static func all(in page: String) -> [ConsoleCommand] {
        var commands: [ConsoleCommand] = []
        var isOpen = false
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isOpen = line == "```console"
            } else if isOpen, line.hasPrefix("$ ") {
                commands.append(ConsoleCommand(line: index + 1, text: String(line.dropFirst(2))))
            } else if isOpen, let last = commands.indices.last {
                commands[last].output.append(String(line))
            }
        }
        return commands
    }

    /// The same command with other words in it and in its output.
    func replacing(_ words: [String: String]) -> ConsoleCommand {
        func changed(_ text: String) -> String {
            words.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        }
        return ConsoleCommand(line: line, text: changed(text), output: output.map(changed))
    }

    /// Whether the output matches the page.
    func prints(_ text: String) -> Bool {
        let lines = Self.lines(of: text)
        guard isServer else { return Self.fit(lines[...], output[...]) }
        return output.allSatisfy { pattern in lines.contains { Self.fits($0, pattern) } }
    }

    /// The lines of a text, without trailing blanks, and without the progress that a terminal shows only for a while.
    private static func lines(of text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.filter { $0.prefixMatch(of: /[a-z]+ \d.*\d\/s/) == nil }.map { String($0.replacing(/\s+$/, with: "")) }
    }

    private static func fit(_ lines: ArraySlice<String>, _ patterns: ArraySlice<String>) -> Bool {
        guard let pattern = patterns.first else { return lines.isEmpty }
        let others = patterns.dropFirst()
        if pattern == "…" { return (lines.startIndex...lines.endIndex).contains { fit(lines[$0...], others) } }
        guard let line = lines.first, fits(line, pattern) else { return false }
        return fit(lines.dropFirst(), others)
    }

    private static func fits(_ line: String, _ pattern: String) -> Bool {
        let pieces = pattern.components(separatedBy: "…")
        guard pieces.count > 1, let first = pieces.first, let last = pieces.last else { return line == pattern }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
