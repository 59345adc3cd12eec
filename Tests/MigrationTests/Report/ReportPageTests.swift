import Migration
import Testing

@Suite("The page of a report")
struct ReportPageTests {
    @Test("The page is well-formed, and contains everything in the report")
    func structure() throws {
        let page = try MarkupChecker(ReportPage(SampleReport.full).html)
        for word in [
            "Migration", "http://old.example.com/shop", "Sync Gateway 2.8.4", "shop.dualgauge", "sales.orders", "_default._default", "700",
            "1.8 MB", "the source answers in 2.4 s", "order::700", "3-abc", "the attachment `scan.pdf` is missing", "--rate", "500",
            "2025-11-21T10:20:57Z", "taken up again 2 times", "59 min 00 s", "quarantined", "and 195 more", "898 equal", "99.7 %",
            "missing: 1", "order::12", "Finished; some documents have to be looked at",
        ] {
            #expect(page.text.contains(word), "\(word)")
        }
        #expect(page.elements.filter { $0 == "svg" }.count == 1)
        #expect(page.elements.filter { $0 == "rect" }.count == 1)
        #expect(page.elements.filter { $0 == "h1" }.count == 1)
        #expect(page.elements.filter { $0 == "h2" }.count == 5)
        #expect(page.elements.filter { $0 == "table" }.count == 3)
    }

    @Test("The page needs no other file")
    func selfContained() throws {
        let html = ReportPage(SampleReport.full).html
        let page = try MarkupChecker(html)
        #expect(Set(page.elements).isDisjoint(with: ["script", "img", "link", "iframe", "object", "embed", "form", "a", "base"]))
        #expect(!page.attributes.contains { ["src", "href"].contains($0.name) || $0.name.hasPrefix("on") })
        #expect(!html.contains("url(") && !html.contains("@import"))
        #expect(page.attributes.contains { $0.name == "content" && $0.value.contains("default-src 'none'") })
    }

    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&lt;b&gt;",
        "</style><script>x</script>",
        "</title><h1>", "<!-- ", "]]>", "javascript:alert(1)", "a\u{0}b\u{1b}[2J", "\u{202e}gpj.exe", "\u{feff}x", "e\u{301}", "🧨",
        "\n\r\n",
        String(repeating: "x", count: 100_000),
    ]

    @Test("Document names are escaped", arguments: hostile)
    func escaping(hostile: String) throws {
        var report = MigrationReport(
            run: ReportRun(
                .copy, source: hostile, sourceKind: hostile, target: hostile, routes: hostile, options: ["rate": hostile],
                started: ReportTime(seconds: 0), version: hostile))
        report.run.state = .failed
        report.run.message = hostile
        report.count(in: hostile) { collection in
            collection.documents = 1
            collection.unmatched.add(hostile)
            collection.clashes.add(hostile)
            collection.quarantined.add(hostile)
        }
        report.timeline.add(time: 1, documents: 1, bytes: 1, activity: hostile, throttle: hostile)
        report.timeline.add(time: 2, documents: 2, bytes: 1, activity: hostile, throttle: hostile)
        report.failures.add(ReportFailure(collection: hostile, id: hostile, revision: hostile, reason: hostile))
        var verification = ReportVerification()
        verification.compared = 1
        verification.add(ReportDifference(.winner, collection: hostile, id: hostile, detail: hostile))
        verification.changedAtSource.add(hostile)
        report.verification = verification
        let page = try MarkupChecker(ReportPage(report).html)
        let plain = try MarkupChecker(ReportPage(Self.harmless(report)).html)
        #expect(page.elements == plain.elements)
        #expect(page.attributes.map(\.name) == plain.attributes.map(\.name))
        #expect(page.text.contains(ReportFormat.plain(hostile, limit: 200).prefix(200)))
        #expect(!page.text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{202e}" })
        #expect(page.text.utf8.count < 100_000)
    }

    /// The same page with a fixed word in place of every foreign text.
    private static func harmless(_ hostile: MigrationReport) -> MigrationReport {
        var report = MigrationReport(
            run: ReportRun(
                .copy, source: "a", sourceKind: "a", target: "a", routes: "a", options: ["rate": "a"], started: ReportTime(seconds: 0),
                version: "a"))
        report.run.state = .failed
        report.run.message = "a"
        report.count(in: "a") { collection in
            collection.documents = 1
            collection.unmatched.add("a")
            collection.clashes.add("a")
            collection.quarantined.add("a")
        }
        report.timeline.add(time: 1, documents: 1, bytes: 1, activity: "a", throttle: "a")
        report.timeline.add(time: 2, documents: 2, bytes: 1, activity: "a", throttle: "a")
        report.failures.add(ReportFailure(collection: "a", id: "a", revision: "a", reason: "a"))
        var verification = ReportVerification()
        verification.compared = 1
        verification.add(ReportDifference(.winner, collection: "a", id: "a", detail: "a"))
        verification.changedAtSource.add("a")
        report.verification = verification
        return report
    }

    @Test("An empty report has a page, too")
    func empty() throws {
        let page = try MarkupChecker(ReportPage(MigrationReport(run: MigrationReportTests.run)).html)
        #expect(page.text.contains("Running"))
        #expect(!page.elements.contains("svg"))
    }

    @Test("A long list is truncated, and the page says so")
    func longLists() throws {
        var report = MigrationReport(run: MigrationReportTests.run)
        for number in 1...10_000 { report.failures.add(ReportFailure(id: "doc-\(number)", reason: "no JSON")) }
        let page = try MarkupChecker(ReportPage(report).html)
        #expect(page.elements.filter { $0 == "tr" }.count == 501)
        #expect(page.text.contains("And 9,500 more"))
    }

    @Test("Numbers have digit groups")
    func formats() {
        #expect([0, 7, 999, 1000, 1_234_567, -1234].map(ReportFormat.count) == ["0", "7", "999", "1,000", "1,234,567", "-1,234"])
        #expect([0, 999, 1000, 1_850_000, 3_000_000_000].map(ReportFormat.bytes) == ["0 B", "999 B", "1 kB", "1.8 MB", "3 GB"])
        #expect(
            [0, 0.25, 12.5, 245, 8040, 400_000].map(ReportFormat.duration)
                == ["0 s", "250 ms", "12.5 s", "4 min 05 s", "2 h 14 min", "111 h 06 min"])
        #expect([0, 0.5, 480.7, .infinity].map(ReportFormat.rate) == ["0/s", "0.5/s", "480/s", "0/s"])
        #expect(ReportFormat.share(999_999, of: 1_000_000) == "99.9 %")
        #expect(ReportFormat.share(1, of: 1_000_000) == "0.1 %")
        #expect(ReportFormat.share(3, of: 3) == "100 %")
        #expect(ReportFormat.share(0, of: 0) == "0 %")
        #expect(ReportFormat.plain("a\nb\u{1b}c") == "a⟨U+A⟩b⟨U+1B⟩c")
    }
}
