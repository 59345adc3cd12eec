import Migration

/// Formats a report for a terminal.
struct ReportText {
    /// The most failures and differences to show; report files list more.
    private let shown: Int

    private let report: MigrationReport

    /// - Parameter shown: the most failures and differences to show; `nil` for 20.
    init(_ report: MigrationReport, shown: Int? = nil) {
        self.report = report
        self.shown = shown ?? 20
    }

    var rendered: String {
        [collections, examples, failures, missingAttachments, unseen, verification, scope, summary].compactMap { $0 }.joined(
            separator: "\n\n")
    }

    /// A remark that the login does not see all channels; `nil` if it does.
    private var scope: String? {
        report.run.seenChannels.map { channels in
            let names =
                channels.isEmpty
                ? "no channel" : "the channels \(channels.prefix(10).map { ReportFormat.plain($0) }.joined(separator: ", "))"
            let more = channels.count > 10 ? " and \(channels.count - 10) more" : ""
            let seen = "the login sees \(names)\(more) of the server alone"
            if report.isPartMeant { return "\(seen), as --partial permits. Documents of other channels were not read." }
            return """
                WARNING: \(seen). Documents of other channels were not read. To accept this, give --partial. Otherwise give the channel `*` on the \
                server to the user itself: with `*` by a role a Sync Gateway withholds documents that are in no channel.
                """
        }
    }

    /// The revisions that are not visible to the login.
    private var unseen: String? {
        guard report.unseen.count > 0 else { return nil }
        let lines = report.unseen.items.prefix(shown).map { unseen in
            "  \(ReportFormat.plain(unseen.id, limit: 120)) \(unseen.revision.map { ReportFormat.plain($0, limit: 60) } ?? "")"
        }
        let head = "\(ReportFormat.count(report.unseen.count)) revisions are not visible to the login, and were not read:"
        return ([head] + lines + more(report.unseen.count - lines.count)).joined(separator: "\n")
    }

    private var summary: String {
        let run = report.run
        let message = run.message.map { ": \(ReportFormat.plain($0))" } ?? ""
        if run.kind == .verify {
            let compared = report.verification?.compared ?? 0
            return "\(run.state.rawValue): \(ReportFormat.count(compared)) documents compared \(pace(compared, run.seconds))\(message)"
        }
        let total = report.total
        var text = "\(run.state.rawValue): \(ReportFormat.count(total.documents)) documents, \(ReportFormat.bytes(total.bytes)) "
        if run.earlierDocuments > 0 {
            let documents = max(0, total.documents - run.earlierDocuments)
            text += "in \(ReportFormat.duration(run.seconds)), of these \(ReportFormat.count(documents)) this time "
            text += pace(documents, run.seconds - run.earlierSeconds)
        } else {
            text += pace(total.documents, run.seconds)
        }
        if let verification = report.verification {
            text += "; \(ReportFormat.count(verification.compared)) compared \(pace(verification.compared, verification.seconds))"
        }
        return text + message
    }

    /// The duration and the rate, such as `in 9.6 s, 20,833/s`.
    private func pace(_ documents: Int, _ seconds: Double) -> String {
        let rate = documents > 0 && seconds > 0 ? ", \(ReportFormat.rate(Double(documents) / seconds))" : ""
        return "in \(ReportFormat.duration(seconds))\(rate)"
    }

    private var collections: String? {
        guard !report.collections.isEmpty else { return nil }
        let isDry = report.run.isDryRun
        var table = TextTable([
            "collection", "documents", "tombstones", "conflicts", "attachments", "bytes", isDry ? "to write" : "written", "there",
            "unmatched", "clashes", "quarantined", "missing",
        ])
        for row in report.collections + (report.collections.count > 1 ? [report.total] : []) {
            let numbers = [
                row.documents, row.tombstones, row.conflicts, row.attachments, row.bytes, row.written.documents,
                row.alreadyThere.documents, row.unmatched.documents, row.clashes.documents, row.quarantined.documents,
                row.missingAttachments,
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
            let place = failure.place.map { " (\(ReportFormat.plain($0)))" } ?? ""
            return "  \(ReportFormat.plain(failure.id, limit: 120))\(revision)\(place): \(ReportFormat.plain(failure.reason))"
        }
        return (["\(ReportFormat.count(report.failures.count)) failures:"] + lines + more(report.failures.count - lines.count))
            .joined(separator: "\n")
    }

    private var missingAttachments: String? {
        let missing = report.missingAttachments
        guard missing.count > 0 else { return nil }
        let lines = missing.items.prefix(shown).map { attachment in
            "  \(ReportFormat.plain(attachment.id, limit: 120)) \(attachment.revision): \(ReportFormat.plain(attachment.name, limit: 120))"
        }
        let written = report.run.isDryRun ? "would be written" : "are written"
        return
            (["\(ReportFormat.count(missing.count)) attachments are missing at the source; their documents \(written) with stubs:"] + lines
            + more(missing.count - lines.count)).joined(separator: "\n")
    }

    private var verification: String? {
        guard let verification = report.verification else { return nil }
        var lines = [
            "verified: \(ReportFormat.count(verification.compared)) compared, \(ReportFormat.count(verification.equal)) equal, "
                + "\(ReportFormat.count(verification.differences.count)) different, "
                + "\(ReportFormat.count(verification.changedAtSource.documents)) changed at the source meanwhile"
                + (verification.onlyAtTarget.documents > 0
                    ? ", \(ReportFormat.count(verification.onlyAtTarget.documents)) at the target alone" : "")
        ]
        let otherwise = verification.shownOtherwise
        if otherwise.documents > 0 {
            lines.append(
                "  \(ReportFormat.count(otherwise.documents)) in conflict, of which the Sync Gateway shows other attachments by itself: "
                    + otherwise.examples.map { ReportFormat.plain($0, limit: 120) }.joined(separator: ", "))
        }
        if let bodies = verification.bodies {
            lines.append("  bodies and attachments of \(ReportFormat.count(bodies)) documents were compared; --bodies all compares all")
        }
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
