import Yams

/// A YAML node with its path, so that each finding has a position.
///
/// Functions that parse a value throw ``ConfigurationError``. ``read(_:)`` records the error and continues, so that one pass reports all errors.
struct ConfigurationNode {
    let node: Node
    let path: String
    let source: ConfigurationSource
    let findings: ConfigurationFindings
    let insertions: TagInsertions
    var keyPosition: TextPosition?

    /// The position of the key, if there is one, because a mapping as value starts on a later line.
    var place: ConfigurationPlace {
        let position = keyPosition ?? node.mark.map { insertions.original(TextPosition($0)) }
        return ConfigurationPlace(file: source.file, line: position?.line, column: position?.column)
    }

    func error(_ code: ConfigurationError.Code, _ message: String) -> ConfigurationError {
        ConfigurationError(code, at: path, in: place, message)
    }

    /// Records a warning.
    func warn(_ code: ConfigurationError.Code, _ message: String) {
        findings.add(ConfigurationFinding(.warning, code, at: place, path: path, message))
    }

    /// Records an error.
    func refuse(_ code: ConfigurationError.Code, _ message: String) {
        findings.add(error(code, message))
    }

    /// Thrown when a value cannot be parsed because of an error that is recorded already.
    struct AlreadyReported: Error {}

    /// Parses a value. Records an error and returns `nil` if that fails.
    @discardableResult
    func read<Value>(_ body: (ConfigurationNode) throws -> Value) -> Value? {
        do {
            return try body(self)
        } catch let error as ConfigurationError {
            findings.add(error)
        } catch is AlreadyReported {
            // The error is recorded already.
        } catch {
            refuse(.badValue, "\(error)")
        }
        return nil
    }

    /// The members of a mapping. Unknown keys are reported with the nearest known key.
    ///
    /// - Parameter hints: The replacements for unknown keys that users may expect here, by key.
    func members(_ known: [String], hints: [String: String] = [:]) throws -> [String: ConfigurationNode] {
        let members = try anyMembers()
        for (key, value) in members where !known.contains(key) {
            let nearest = known.min { EditDistance.between(key, $0) < EditDistance.between(key, $1) }
            let hint = hints[key] ?? nearest.map { "the nearest known one is `\($0)`" }
            value.refuse(.unknownKey, "unknown key `\(key)`\(hint.map { "; \($0)" } ?? "")")
        }
        return Dictionary(members.filter { known.contains($0.0) }) { first, _ in first }
    }

    /// The members of a mapping with arbitrary keys, in the file's order. A duplicate key is reported, and its first value is used.
    func anyMembers() throws -> [(String, ConfigurationNode)] {
        if isNull { return [] }
        guard let mapping = node.mapping else { throw error(.badValue, "expected a mapping of keys to values") }
        var seen: [String: ConfigurationNode] = [:]
        return mapping.compactMap { key, value in
            let position = key.mark.map { insertions.original(TextPosition($0)) }
            guard let name = key.string else {
                child(key, path, at: position).refuse(.badValue, "a key has to be text")
                return nil
            }
            let member = child(value, path.isEmpty ? name : "\(path).\(name)", at: position)
            if let first = seen[name] {
                let line = first.place.line.map { "; the first is in line \($0)" } ?? ""
                member.refuse(.duplicateKey, "the key `\(name)` appears here twice\(line); keep one")
                return nil
            }
            seen[name] = member
            return (name, member)
        }
    }

    /// A member of a mapping, without a check of the other keys.
    subscript(key: String) -> ConfigurationNode? {
        ((try? anyMembers()) ?? []).first { $0.0 == key }?.1
    }

    /// The items of a list.
    func items() throws -> [ConfigurationNode] {
        if isNull { return [] }
        guard let sequence = node.sequence else { throw error(.badValue, "expected a list") }
        return sequence.enumerated().map { child($1, "\(path)[\($0 + 1)]", at: nil) }
    }

    private func child(_ node: Node, _ path: String, at position: TextPosition?) -> ConfigurationNode {
        ConfigurationNode(node: node, path: path, source: source, findings: findings, insertions: insertions, keyPosition: position)
    }

    var isNull: Bool { node.null != nil && node.scalar?.string != "~" || node.scalar.map { $0.string.isEmpty } ?? false }
}

/// The edit distance, which finds the known key nearest to a misspelt one.
package enum EditDistance {
    /// The number of letters to insert, delete, replace, or exchange with their neighbour (optimal string alignment).
    ///
    /// `rotues` is nearer to `routes` than to `roles`.
    package static func between(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var before: [Int] = []
        var row = Array(0...b.count)
        for i in a.indices {
            var next = [i + 1]
            for j in b.indices {
                var least = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[b.count]
    }
}
