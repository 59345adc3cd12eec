/// A report as one self-contained HTML page without scripts, fonts, pictures or network requests.
package struct ReportPage: Sendable {
    /// Largest number of failures and differences on the page; the JSON report lists all.
    static let listed = 500

    let report: MigrationReport

    package init(_ report: MigrationReport) {
        self.report = report
    }

    /// The page in UTF-8.
    package var html: String {
        "<!DOCTYPE html>\n" + HTML("html", ["lang": "en"], [head, HTML("body", [HTML("main", sections)])]).markup + "\n"
    }

    private var head: HTML {
        HTML(
            "head",
            [
                .void("meta", ["charset": "utf-8"]),
                .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                // Defence in depth: markup injected through document content cannot fetch or run anything.
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
                HTML("p", ["class": "state \(result.isGood ? "good" : "bad")"], result.text),
                HTML("h1", title),
                HTML(
                    "p", ["class": "ends"],
                    [HTML("code", run.source), HTML(" (\(run.sourceKind)) "), HTML("span", "→"), HTML(" "), HTML("code", run.target)]),
                HTML("p", ["class": "when"], when),
                run.message.map { HTML("p", ["class": "message"], $0) },
            ].compactMap { $0 })
    }

    private var result: (text: String, isGood: Bool) {
        switch report.run.state {
        case .running: ("Running", true)
        case .paused: ("Paused", true)
        case .interrupted: ("Interrupted; run it again to go on", false)
        case .failed: ("Failed", false)
        case .finished where !report.isClean: ("Finished; some documents have to be looked at", false)
        case .finished where !report.sawEverything: ("Finished; the login did not see every document", false)
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

extension ReportPage {
    static let style: StaticString = """
        :root { --ink: #1b1f24; --dim: #5b6570; --paper: #ffffff; --card: #f3f5f7; --line: #d5dade; --accent: #0b6bcb; \
        --good: #1a7f37; --bad: #b3261e; --slow: #f2c46d }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa4ae; --paper: #14171a; --card: #1e2327; \
        --line: #363d44; --accent: #5aa9f7; --good: #4cc26a; --bad: #ff8a80; --slow: #6b5320 } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
        main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: .25rem 0 } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem } \
        h3 { font-size: 1rem; margin: 1.25rem 0 .25rem }
        p { margin: .25rem 0 } ul { margin: .25rem 0; padding-left: 1.25rem }
        code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; unicode-bidi: isolate }
        .state { display: inline-block; padding: .15rem .75rem; border-radius: 1rem; color: var(--paper); font-weight: 600 }
        .state.good { background: var(--good) } .state.bad { background: var(--bad) }
        .when, footer, figcaption, .tiles span { color: var(--dim) } .message { color: var(--bad) }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin-top: 1.5rem }
        .tiles div { background: var(--card); border-radius: .5rem; padding: .75rem 1rem }
        .tiles strong { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums }
        .scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .9rem }
        th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; text-align: left }
        th { color: var(--dim); font-weight: 600; white-space: nowrap }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
        .size { display: inline-block; min-width: 6rem; padding: 0 .25rem; \
        background: linear-gradient(to left, var(--line) var(--share), transparent 0) }
        figure { margin: 0 } svg { width: 100%; height: auto; display: block } svg text { fill: var(--dim); font-size: 12px }
        .rate { fill: var(--accent); fill-opacity: .35 } .progress { fill: none; stroke: var(--accent); stroke-width: 2 }
        .axis { stroke: var(--line) } .slow { fill: var(--slow); fill-opacity: .6 }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 } dt { color: var(--dim) } \
        dd { margin: 0; overflow-wrap: anywhere } footer { margin-top: 3rem; font-size: .85rem }
        @media (max-width: 40rem) { dl { grid-template-columns: 1fr } dt { margin-top: .5rem } }
        @media print { body { font-size: 11px } main { max-width: none; padding: 0 } section, tr { break-inside: avoid } \
        .scroll { overflow: visible } }
        """
}
