extension ReportPage {
    var collectionSection: HTML? {
        guard !report.collections.isEmpty else { return nil }
        var rows = report.collections.map { row($0, name: HTML("code", $0.name)) }
        if rows.count > 1 { rows.append(row(report.total, name: HTML("strong", "all"))) }
        let head = [
            "collection", "documents", "tombstones", "conflicts", "attachments", "size", report.run.isDryRun ? "to write" : "written",
            "already there", "unmatched", "clashes", "quarantined", "attachments missing",
        ]
        return section(
            "Collections",
            [
                table(head, rows), examples("Matched by no route", \.unmatched), examples("Clashes", \.clashes),
                examples("Quarantined", \.quarantined),
            ])
    }

    private func row(_ collection: ReportCollection, name: HTML) -> [HTML] {
        let largest = report.collections.map(\.bytes).max() ?? 0
        let share = largest > 0 ? min(100, Int(Double(collection.bytes) / Double(largest) * 100)) : 0
        let size = HTML("span", ["class": "size", "style": "--share:\(share)%"], ReportFormat.bytes(collection.bytes))
        let numbers = [collection.documents, collection.tombstones, collection.conflicts, collection.attachments]
        let outcomes = [
            collection.written, collection.alreadyThere, collection.unmatched, collection.clashes, collection.quarantined,
        ]
        return [name] + numbers.map { HTML(ReportFormat.count($0)) } + [size] + outcomes.map { HTML(ReportFormat.count($0.documents)) }
            + [HTML(ReportFormat.count(collection.missingAttachments))]
    }

    private func examples(_ title: String, _ outcome: KeyPath<ReportCollection, ReportOutcome>) -> HTML? {
        let some = report.collections.filter { $0[keyPath: outcome].documents > 0 }
        guard !some.isEmpty else { return nil }
        let items = some.map { collection in
            let ids = collection[keyPath: outcome].examples.map { [HTML(" "), HTML("code", $0)] }.joined()
            let rest = collection[keyPath: outcome].documents - collection[keyPath: outcome].examples.count
            return HTML(
                "li", [HTML("\(collection.name):")] + Array(ids) + (rest > 0 ? [HTML(" and \(ReportFormat.count(rest)) more")] : []))
        }
        return HTML("div", [HTML("h3", title), HTML("ul", items)])
    }

    var verificationSection: HTML? {
        guard let verification = report.verification else { return nil }
        let summary = HTML(
            "p",
            "\(ReportFormat.count(verification.compared)) documents compared on both sides, "
                + "\(ReportFormat.count(verification.equal)) equal, in \(ReportFormat.duration(verification.seconds))."
        )
        let changed = verification.changedAtSource
        let note =
            changed.documents > 0
            ? HTML(
                "p",
                "\(ReportFormat.count(changed.documents)) were changed at the source after they had been read; the next run brings them: "
                    + changed.examples.joined(separator: ", "))
            : nil
        let shown = verification.shownOtherwise
        let excuse =
            shown.documents > 0
            ? HTML(
                "p",
                "\(ReportFormat.count(shown.documents)) in conflict, of which the Sync Gateway shows other attachments by itself: "
                    + shown.examples.joined(separator: ", "))
            : nil
        let kinds = verification.kinds.sorted { $0.key < $1.key }.map { "\($0.key): \(ReportFormat.count($0.value))" }
        let rows = verification.differences.items.prefix(Self.listed).map {
            [HTML($0.kind.rawValue), HTML($0.collection), HTML("code", $0.id), HTML($0.detail ?? "")]
        }
        return section(
            "Verification",
            [
                summary, note, excuse, kinds.isEmpty ? nil : HTML("p", ["class": "kinds"], kinds.joined(separator: ", ")),
                rows.isEmpty ? nil : table(["difference", "collection", "document", ""], rows, texts: 4),
                more(verification.differences.count - rows.count),
            ])
    }

    var failureSection: HTML? {
        guard report.failures.count > 0 else { return nil }
        let rows = report.failures.items.prefix(Self.listed).map {
            [HTML($0.collection), HTML("code", $0.id), HTML($0.revision ?? $0.place ?? ""), HTML($0.reason, limit: 1000)]
        }
        return section(
            "Failures",
            [table(["collection", "document", "revision or place", "reason"], rows, texts: 4), more(report.failures.count - rows.count)])
    }

    var missingSection: HTML? {
        let missing = report.missingAttachments
        guard missing.count > 0 else { return nil }
        let rows = missing.items.prefix(Self.listed).map {
            [HTML($0.collection), HTML("code", $0.id), HTML($0.revision), HTML("code", $0.name), HTML($0.digest ?? "")]
        }
        let note = "The source references them and does not have their bytes. The documents have stubs until a later run brings the bytes."
        return section(
            "Missing attachments",
            [
                HTML("p", note), table(["collection", "document", "revision", "attachment", "digest"], rows, texts: 5),
                more(missing.count - rows.count),
            ])
    }

    var unseenSection: HTML? {
        let (channels, unseen) = (report.run.seenChannels, report.unseen)
        guard channels != nil || unseen.count > 0 else { return nil }
        let rows = unseen.items.prefix(Self.listed).map { [HTML("code", $0.id), HTML($0.revision ?? "")] }
        return section(
            "Not visible to the login",
            [
                channels.map { channels in
                    let names =
                        channels.isEmpty ? "no channel" : "these channels alone: \(channels.prefix(Self.listed).joined(separator: ", "))"
                    return HTML("p", "The login at the server sees \(names). Documents of other channels were not read.")
                }, unseen.count > 0 ? table(["document", "revision"], rows, texts: 2) : nil, more(unseen.count - rows.count),
            ].compactMap { $0 })
    }

    var detailSection: HTML? {
        let run = report.run
        let lines =
            [("source", run.source), ("kind", run.sourceKind), ("target", run.target)] + (run.routes.map { [("routes", $0)] } ?? [])
            + (run.expectedDocuments.map { [("documents that the source counts", ReportFormat.count($0))] } ?? [])
            + run.options.sorted { $0.key < $1.key }.map { ("--\($0.key)", $0.value) }
        return section("The run", [HTML("dl", lines.flatMap { [HTML("dt", $0.0), HTML("dd", $0.1)] })])
    }

    func section(_ title: String, _ content: [HTML?]) -> HTML {
        HTML("section", [HTML("h2", title)] + content.compactMap { $0 })
    }

    /// - Parameter texts: Number of text columns from the left; the other columns are numeric.
    private func table(_ head: [String], _ rows: [[HTML]], texts: Int = 1) -> HTML {
        func kind(_ index: Int) -> String { index < texts ? "text" : "number" }
        let body = rows.map { row in HTML("tr", row.enumerated().map { HTML("td", ["class": kind($0)], [$1]) }) }
        let heads = head.enumerated().map { HTML("th", ["class": kind($0), "scope": "col"], $1) }
        return HTML(
            "div", ["class": "scroll"], [HTML("table", [HTML("thead", [HTML("tr", heads)]), HTML("tbody", body)])])
    }

    private func more(_ count: Int) -> HTML? {
        count > 0 ? HTML("p", "And \(ReportFormat.count(count)) more, which `--report run.json` lists.") : nil
    }
}
