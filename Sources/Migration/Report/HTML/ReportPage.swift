/// A report as one HTML page that needs nothing besides itself: no script, no font, no picture, no network.
public struct ReportPage: Sendable {
    /// How many failures and differences the page lists; the JSON has all.
    static let listed = 500

    let report: MigrationReport

    public init(_ report: MigrationReport) {
        self.report = report
    }

    /// The page in UTF-8.
    public var html: String {
        "<!DOCTYPE html>\n" + HTML("html", ["lang": "en"], [head, HTML("body", [HTML("main", sections)])]).markup + "\n"
    }

    private var head: HTML {
        HTML(
            "head",
            [
                .void("meta", ["charset": "utf-8"]),
                .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                // Should something of a document's become markup after all, it could fetch and run nothing.
                .void("meta", ["http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"]),
                HTML("title", "\(title) - Dualgauge"),
                HTML("style", [.literal(Self.style)]),
            ])
    }

    private var sections: [HTML] {
        [
            header, tiles, timelineSection, collectionSection, verificationSection, failureSection, missingSection, unseenSection,
            detailSection,
            footer,
        ].compactMap { $0 }
    }

    private var title: String {
        switch report.run.kind {
        case .copy, .move: report.run.isDryRun ? "Rehearsal of a migration" : "Migration"
        case .revert: "Migration put back"
        case .verify: "Comparison"
        }
    }

    private var header: HTML {
        let run = report.run
        return HTML(
            "header",
            [
                HTML("p", ["class": "state \(verdict.isGood ? "good" : "bad")"], verdict.text),
                HTML("h1", title),
                HTML(
                    "p", ["class": "ends"],
                    [HTML("code", run.source), HTML(" (\(run.sourceKind)) "), HTML("span", "→"), HTML(" "), HTML("code", run.target)]),
                HTML("p", ["class": "when"], when),
                run.message.map { HTML("p", ["class": "message"], $0) },
            ].compactMap { $0 })
    }

    private var verdict: (text: String, isGood: Bool) {
        switch report.run.state {
        case .running: ("Running", true)
        case .paused: ("Paused", true)
        case .interrupted: ("Interrupted; run it again to go on", false)
        case .failed: ("Failed", false)
        case .finished where !report.isClean: ("Finished; some documents have to be looked at", false)
        case .finished where !report.isAllSeen: ("Finished; the login did not see every document", false)
        case .finished: (report.verification == nil ? "Finished" : "Finished and verified", true)
        }
    }

    private var when: String {
        let run = report.run
        let end = run.finished.map { " to \($0)" } ?? ""
        let resumed = run.resumed > 0 ? ", taken up again \(run.resumed) \(run.resumed == 1 ? "time" : "times")" : ""
        return "\(run.started)\(end), \(ReportFormat.duration(run.seconds)) of work\(resumed)"
    }

    private var tiles: HTML {
        let total = report.total
        let seconds = report.run.seconds - report.run.earlierSeconds
        let rate = seconds > 0 ? Double(max(0, total.documents - report.run.earlierDocuments)) / seconds : 0
        var tiles = [
            tile(ReportFormat.count(total.documents), "documents"),
            tile(ReportFormat.count(total.written.documents), report.run.isDryRun ? "to be written" : "written"),
            tile(ReportFormat.count(total.attachments), "attachments"),
            tile(ReportFormat.bytes(total.bytes), "of content"),
            tile(ReportFormat.rate(rate), "documents on average"),
        ]
        if let verification = report.verification {
            tiles.append(tile(ReportFormat.share(verification.equal, of: verification.compared), "verified equal"))
        }
        return HTML("section", ["class": "tiles", "aria-label": "In short"], tiles)
    }

    private func tile(_ number: String, _ text: String) -> HTML {
        HTML("div", [HTML("strong", number), HTML("span", text)])
    }

    private var footer: HTML {
        HTML("footer", [HTML("p", "Dualgauge \(report.run.version)")])
    }
}
