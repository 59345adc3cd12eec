import Documents

/// Formats the rules for devices, and the figures of both groups, for a terminal.
struct DevicesText {
    private static let sides = ["here", "oldServer"]

    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    /// The stage with its effect, the rules, the guard and both groups.
    var rules: String {
        let effect =
            switch json["servedHere"]?.string {
            case "none": "all devices are passed on to the old server"
            case "by rule": "the rules below decide; all other devices are passed on to the old server"
            default: "all devices are served here"
            }
        var table = TextTable(["rule", "value"])
        for key in ["percent", "users", "channels", "addresses", "except"] {
            let value = json[key]
            let text: String =
                if case .number(let number)? = value { number } else { (value?.array ?? []).compactMap(\.string).joined(separator: ", ") }
            table.add([key, CutoverText.line(text)])
        }
        let head = "Stage: \(json["stage"]?.string ?? ""): \(effect)."
        return [head, table.rendered, guardText, groups, comparison].compactMap { $0 }.joined(separator: "\n\n")
    }

    /// Both groups side by side, over the last hour.
    var groups: String {
        var table = TextTable(["devices in the last hour", "here", "old server"])
        func add(_ name: String, _ text: (JSONValue) -> String?) {
            table.add([name] + Self.sides.map { side in json["groups"]?[side].flatMap(text) ?? "" })
        }
        add("users") { Self.number($0["users"]) }
        add("devices") { Self.number($0["devices"]) }
        add("requests") { Self.number($0["requests"]) }
        for error in ["unauthorized", "forbidden", "request", "server"] {
            add("errors: \(error)") { Self.number($0["errors"]?[error]) }
        }
        add("response, median") { Self.milliseconds($0["p50"]) }
        add("response, 99 of 100") { Self.milliseconds($0["p99"]) }
        add("documents written") { Self.number($0["received"]) }
        add("documents refused") { Self.number($0["refused"]) }
        add("conflicts") { Self.number($0["conflicts"]) }
        add("documents read") { Self.number($0["sent"]) }
        add("feeds read again") { Self.number($0["rescans"]) }
        return table.rendered
    }

    private var guardText: String? {
        guard let rules = json["guard"], rules != .null else { return nil }
        let halt = json["halted"]
        if let reason = halt?["reason"]?.string {
            let next =
                halt?["pending"]?.bool == true
                ? "the last move is taken back as soon as the gates permit it" : "--resume permits moves again"
            return "Guard: HALTED at \(halt?["time"]?.string ?? ""): \(CutoverText.line(reason)); \(next)."
        }
        let limits = [("errorRate", "errors", " points"), ("conflicts", "conflicts", ""), ("parked", "parked", "")].compactMap {
            key, name, unit in
            Self.number(rules[key]).map { "\(name) \($0)\(unit)" }
        }
        return "Guard: watching (\(limits.joined(separator: ", ")), within \(Self.number(rules["window"]) ?? "") s)."
    }

    /// The reads that were answered here, too, with the latest differences.
    private var comparison: String? {
        guard let found = json["comparison"], found != .null else { return nil }
        let skipped = (found["skipped"]?.members ?? []).reduce(0) { $0 + ($1.value.int ?? 0) }
        let head =
            "Compared reads: \(Self.number(found["equal"]) ?? "0") equal, \(Self.number(found["different"]) ?? "0") different, \(skipped) skipped."
        let examples = found["examples"]?.array ?? []
        guard !examples.isEmpty else { return head }
        var table = TextTable(["difference", "user", "document", "detail", "request"])
        for example in examples.prefix(10) {
            table.add(["kind", "user", "id", "detail", "path"].map { CutoverText.line(example[$0]?.string ?? "") })
        }
        return "\(head)\n\n\(table.rendered)"
    }

    private static func number(_ value: JSONValue?) -> String? {
        if case .number(let number)? = value { number } else { nil }
    }

    private static func milliseconds(_ value: JSONValue?) -> String? { number(value).map { "\($0) ms" } }
}
