import Yams

extension ConfigurationNode {
    /// A text, with `${NAME}` taken from the environment; `$${` stands for `${`.
    func text() throws -> String { try substituted().text }

    func substituted() throws -> SubstitutedText {
        guard let scalar = node.scalar else { throw error(.badValue, "expected a text") }
        do {
            return try SubstitutedText(scalar.string, environment: source.environment)
        } catch {
            switch error {
            case .open: throw self.error(.badValue, "`${` without a closing brace")
            case .missing(let name):
                throw self.error(.missingVariable, "the environment has no variable `\(name)`; set it or write the value")
            }
        }
    }

    func nonEmptyText() throws -> String {
        let text = try text()
        guard !text.isEmpty else { throw error(.badValue, "the text is empty") }
        return text
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

    /// The texts of a list. Items that are none are noted, and left out.
    func texts() throws -> [String] {
        try items().compactMap { $0.read { try $0.text() } }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            throw error(.badValue, "expected one of \(names), not `\(text)`")
        }
        return choice
    }

    func nonEmptyScript(_ kind: ConfigurationScript.Kind) throws -> String {
        _ = try nonEmptyText()
        return try script(kind)
    }

    /// A function's source. It is compiled when everything has been read.
    func script(_ kind: ConfigurationScript.Kind) throws -> String {
        let text = try substituted()
        guard let scalar = node.scalar else { return text.text }
        let start = scalar.mark.map { insertions.original(TextPosition($0)) }
        let origin = start.map { ScalarOrigin(text, style: scalar.style, start: $0, source: source) }
        findings.add(ConfigurationScript(kind, text.text, path: path, place: place, origin: origin.map { .scalar($0) }))
        return text.text
    }
}
