import Migration

/// A report for a terminal.
struct ReportText {
    /// How many failures and differences are shown; files list more.
    private let shown: Int

    private let report: MigrationReport

    /// - Parameter shown: how many failures and differences are shown; `nil` for 20.
    init(_ report: MigrationReport, shown: Int? = nil) {
        self.report = report
        self.shown = shown ?? 20
    }

    var rendered: String {
        [collections, examples, failures, verification, summary].compactMap { $0 }.joined(separator: "\n\n")
    }

    private var summary: String {
        let run = report.run
        let total = report.total
        // `verify` alone moves nothing.
        let compared = report.collections.isEmpty ? report.verification?.compared : nil
        let rate = run.seconds > 0 ? ", \(ReportFormat.rate(Double(compared ?? total.documents) / run.seconds))" : ""
        let what =
            compared.map { "\(ReportFormat.count($0)) documents compared" }
            ?? "\(ReportFormat.count(total.documents)) documents, \(ReportFormat.bytes(total.bytes))"
        let resumed = run.resumed > 0 ? ", taken up again \(run.resumed) times" : ""
        let message = run.message.map { ": \(ReportFormat.plain($0))" } ?? ""
        return "\(run.state.rawValue): \(what) in \(ReportFormat.duration(run.seconds))\(rate)\(resumed)\(message)"
    }

    private var collections: String? {
        guard !report.collections.isEmpty else { return nil }
        let isDry = report.run.isDryRun
        var table = TextTable([
            "collection", "documents", "tombstones", "conflicts", "attachments", "bytes", isDry ? "to write" : "written", "there",
            "unmatched", "clashes", "quarantined",
        ])
        for row in report.collections + (report.collections.count > 1 ? [report.total] : []) {
            let numbers = [
                row.documents, row.tombstones, row.conflicts, row.attachments, row.bytes, row.written.documents,
                row.alreadyThere.documents, row.unmatched.documents, row.clashes.documents, row.quarantined.documents,
            ]
            table.add([row.name.isEmpty ? "all" : ReportFormat.plain(row.name)] + numbers.map { "\($0)" })
        }
        return table.rendered
    }

    private var examples: String? {
        let outcomes: [(String, KeyPath<ReportCollection, ReportOutcome>)] = [
            ("matched by no route", \.unmatched), ("clash", \.clashes), ("quarantined", \.quarantined),
        ]
        let lines = outcomes.flatMap { title, outcome in
            report.collections.filter { $0[keyPath: outcome].documents > 0 }.map { collection in
                let ids = collection[keyPath: outcome].examples.map { ReportFormat.plain($0, limit: 60) }.joined(separator: ", ")
                return "\(title), \(ReportFormat.plain(collection.name)): \(ids)"
            }
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private var failures: String? {
        guard report.failures.count > 0 else { return nil }
        let lines = report.failures.items.prefix(shown).map { failure in
            let revision = failure.revision.map { " \(ReportFormat.plain($0, limit: 60))" } ?? ""
            return "  \(ReportFormat.plain(failure.id, limit: 120))\(revision): \(ReportFormat.plain(failure.reason))"
        }
        return (["\(ReportFormat.count(report.failures.count)) failures:"] + lines + more(report.failures.count - lines.count))
            .joined(separator: "\n")
    }

    private var verification: String? {
        guard let verification = report.verification else { return nil }
        var lines = [
            "verified: \(ReportFormat.count(verification.compared)) compared, \(ReportFormat.count(verification.equal)) equal, "
                + "\(ReportFormat.count(verification.differences.count)) different, "
                + "\(ReportFormat.count(verification.changedAtSource.documents)) changed at the source meanwhile"
        ]
        let first = verification.differences.items.prefix(shown)
        if !first.isEmpty { lines += ["  A: \(ReportFormat.plain(report.run.source))", "  B: \(ReportFormat.plain(report.run.target))"] }
        lines += first.map { difference in
            let detail = difference.detail.map { ": \(ReportFormat.plain($0))" } ?? ""
            return "  \(difference.kind.rawValue) \(difference.collection) \(ReportFormat.plain(difference.id, limit: 120))\(detail)"
        }
        return (lines + more(verification.differences.count - first.count)).joined(separator: "\n")
    }

    private func more(_ count: Int) -> [String] {
        count > 0 ? ["  and \(ReportFormat.count(count)) more, which --report lists"] : []
    }
}
