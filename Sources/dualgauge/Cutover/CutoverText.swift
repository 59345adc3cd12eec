import Documents

/// Formats the replies of the cutover endpoint for a terminal.
struct CutoverText {
    private static let shownSteps = 10

    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    /// The stage of the database, its gates and its history.
    var status: String {
        var lines = ["Stage: \(text("stage")) (\(text("meaning")))", ""]
        lines += gates(unmeasured: "not measured")
        lines += direction("canAdvance", "next", "advanceReasons", "Forward")
        lines += direction("canReverse", "previous", "reverseReasons", "Back")
        if let devices = json["devices"], devices != .null { lines += ["", DevicesText(devices).groups] }
        let steps = json["history"]?.array ?? []
        guard !steps.isEmpty else { return lines.joined(separator: "\n") }
        var table = TextTable(["#", "time", "from", "to", "outcome", "forced", "reason"])
        for step in steps.prefix(Self.shownSteps) {
            table.add([
                String(step["number"]?.int ?? 0), step["time"]?.string ?? "", step["from"]?.string ?? "", step["to"]?.string ?? "",
                step["outcome"]?.string ?? "", step["forced"]?.bool == true ? "yes" : "", Self.line(step["reason"]?.string ?? ""),
            ])
        }
        return (lines + ["", table.rendered]).joined(separator: "\n")
    }

    /// The result of a step.
    var step: String {
        switch text("outcome") {
        case "unchanged": return "Nothing to do: the database is at \(text("stage"))."
        case "planned":
            return (gates(unmeasured: "REFUSES") + refusals + ["It can be taken: \(text("from")) -> \(text("to")). Nothing was changed."])
                .joined(
                    separator: "\n")
        default:
            let forced = json["forced"]?.bool == true ? ", forced" : ""
            return (gates(unmeasured: "REFUSES") + refusals + hooks + ["\(text("from")) -> \(text("to"))\(forced): \(text("meaning"))."])
                .joined(separator: "\n")
        }
    }

    /// The reasons why a step was refused.
    var refusal: String {
        let what = text("outcome") == "stopped" ? "Stopped by a hook" : "Refused"
        return
            (gates(unmeasured: "REFUSES") + refusals + hooks + [
                "\(what): \(text("from")) -> \(text("to")). The database is at \(text("stage"))."
            ]).joined(
                separator: "\n")
    }

    /// Formats the gates.
    ///
    /// - Parameter unmeasured: The text for a gate without a measurement. A step measures all gates, so that a gate without a measurement refuses
    ///   the step.
    private func gates(unmeasured: String) -> [String] {
        let gates = json["gates"]?.array ?? []
        guard !gates.isEmpty else { return [] }
        var table = TextTable(["gate", "", "measured", "limit", "unit", "age"])
        for gate in gates {
            let refusal = gate["measured"]?.int == nil ? unmeasured : "REFUSES"
            table.add([
                gate["name"]?.string ?? "", gate["passed"]?.bool == true ? "passed" : refusal,
                gate["measured"]?.int.map(String.init) ?? "",
                gate["limit"]?.int.map(String.init) ?? "", gate["unit"]?.string ?? "", gate["age"]?.int.map { "\($0) s" } ?? "",
            ])
        }
        return [table.rendered, ""]
    }

    /// The messages of the gates that refuse the step.
    private var refusals: [String] {
        let refusing = (json["gates"]?.array ?? []).filter { $0["passed"]?.bool == false }.compactMap { $0["message"]?.string }
        return refusing.isEmpty ? [] : refusing.map { "  - \(Self.line($0))" } + [""]
    }

    private var hooks: [String] {
        let hooks = (json["hooks"]?.array ?? []).flatMap { hook in
            [hook["end"]?.string ?? ""] + (hook["output"]?.string ?? "").split(separator: "\n").map { "  \(Self.line(String($0)))" }
        }
        return hooks.isEmpty ? [] : hooks + [""]
    }

    private func direction(_ can: String, _ stage: String, _ reasons: String, _ name: String) -> [String] {
        guard json[can]?.bool != true else { return ["\(name): \(text(stage)) can be taken now."] }
        let reasons = (json[reasons]?.array ?? []).compactMap(\.string)
        guard json[stage]?.string != nil else { return ["\(name): \(reasons.joined(separator: " "))"] }
        return ["\(name): \(text(stage)) is not open yet:"] + reasons.map { "  - \($0)" }
    }

    private func text(_ key: String) -> String { json[key]?.string ?? "" }

    /// Replaces line breaks and control characters: text from other users must not move the cursor.
    static func line(_ text: String) -> String {
        String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f } ? " " : $0 })
    }
}
