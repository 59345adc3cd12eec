import Migration

/// A report with every kind of entry.
enum SampleReport {
    static let full: MigrationReport = {
        var report = MigrationReport(run: MigrationReportTests.run)
        report.run.state = .finished
        report.run.options = ["batch": "200", "rate": "500"]
        report.run.finished = ReportTime(seconds: 1_763_724_057)
        report.run.seconds = 3540.5
        report.run.resumed = 2
        report.run.expectedDocuments = 900
        report.count(in: "sales.orders") { orders in
            orders.documents = 700
            orders.tombstones = 12
            orders.conflicts = 3
            orders.attachments = 41
            orders.bytes = 1_800_000
            for number in 1...699 { orders.written.add("order::\(number)") }
            orders.quarantined.add("order::700")
        }
        report.count(in: "_default._default") { rest in
            rest.documents = 200
            rest.bytes = 90_000
            for number in 1...200 {
                rest.alreadyThere.add("note-\(number)")
                rest.unmatched.add("note-\(number)")
            }
        }
        for second in 0...40 {
            let isSlow = 15...25 ~= second
            report.timeline.add(
                time: Double(second) * 90, documents: second * 22, bytes: second * 47_000, activity: second < 38 ? "copying" : "comparing",
                throttle: isSlow ? "the source answers in 2.4 s" : nil)
        }
        report.failures.add(
            ReportFailure(collection: "sales.orders", id: "order::700", revision: "3-abc", reason: "the attachment `scan.pdf` is missing"))
        var verification = ReportVerification()
        verification.compared = 900
        verification.equal = 898
        verification.add(ReportDifference(.missing, collection: "sales.orders", id: "order::700", detail: "quarantined"))
        verification.changedAtSource.add("order::12")
        report.verification = verification
        return report
    }()
}
