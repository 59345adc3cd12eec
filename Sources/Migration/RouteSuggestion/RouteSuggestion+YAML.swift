import Documents

extension RouteSuggestion {
    /// A routes file with comments that describe the documents of each rule.
    package var yaml: String {
        var lines = ["# Routes that `dualgauge migrate --suggest` has derived from \(extent)."]
        lines.append("# Read them before you use them, then see what they would do: dualgauge migrate … --routes THIS-FILE --dry-run")
        lines += notes.map { "# \($0)" }
        if seen > 0 {
            lines.append(
                "# No rule matches \(count(unmatched)) and \(ReportFormat.count(unmatchedTombstones)) tombstones\(examples(unmatched.examples))."
            )
        }
        if overlapping.documents > 0 {
            lines.append(
                "# Several rules match \(count(overlapping))\(examples(overlapping.examples)); the first rule applies.")
        }
        let collections = rules.reduce(into: [String]()) { if !$0.contains($1.collection) { $0.append($1.collection) } }
        lines.append(collections.isEmpty ? "collections: {}" : "collections:")
        lines += collections.map { "  \(Self.quoted($0)): {}" }
        lines.append(rules.isEmpty ? "routes: []" : "routes:")
        for rule in rules {
            lines += comments(on: rule).map { "  # \($0)" }
            lines.append("  - { to: \(Self.quoted(rule.collection)), when: { \(Self.condition(rule)) } }")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var extent: String {
        guard seen > sampled else { return "all \(ReportFormat.count(seen)) documents" }
        return "\(ReportFormat.count(sampled)) documents, chosen at random among \(ReportFormat.count(seen)); the numbers are of these"
    }

    private func comments(on rule: Rule) -> [String] {
        let tombstones = rule.tombstones > 0 ? ", \(ReportFormat.count(rule.tombstones)) of them tombstones" : ""
        let noun = rule.documents == 1 ? "document" : "documents"
        let stripping: [String] =
            switch rule.stripping {
            case .safe: ["`stripPrefix: true` would be safe: nothing else comes into this collection"]
            case .sharedCollection: ["do not strip the prefix: another rule leads into this collection too"]
            case .badRest: ["do not strip the prefix: some IDs would be empty without it, or begin with an underscore"]
            case nil: []
            }
        return ["\(ReportFormat.count(rule.documents)) \(noun)\(tombstones)\(examples(rule.examples))"]
            + rule.notes.map { ReportFormat.plain($0) }
            + stripping
    }

    private func count(_ group: Group) -> String {
        "\(ReportFormat.count(group.documents)) \(group.documents == 1 ? "document" : "documents")"
    }

    private func examples(_ ids: [String]) -> String {
        ids.isEmpty ? "" : ": " + ids.prefix(3).map { ReportFormat.plain($0, limit: 40) }.joined(separator: ", ")
    }

    private static func condition(_ rule: Rule) -> String {
        guard let property = rule.property, let value = rule.equals else { return "idPrefix: \(quoted(rule.idPrefix ?? ""))" }
        return "property: \(quoted(property)), equals: \(quoted(value))"
    }

    /// A JSON string is also a YAML double-quoted string. `${` is escaped because the configuration substitutes environment variables.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(text.replacing("${", with: "$${"), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
