import Foundation
import Migration
import Testing

@Suite("A migration's report")
struct MigrationReportTests {
    static let run = ReportRun(
        .copy, source: "http://old.example.com/shop", sourceKind: "Sync Gateway 2.8.4", target: "shop.dualgauge", routes: "routes.yaml",
        started: ReportTime(seconds: 1_763_720_457), version: "0.1.0")

    @Test("Collections have their order, whichever is counted first")
    func collectionsAreSorted() {
        var report = MigrationReport(run: Self.run)
        for name in ["sales.orders", "catalog.products", "sales.orders", "_default._default"] {
            report.count(in: name) { $0.documents += 1 }
        }
        #expect(report.collections.map(\.name) == ["_default._default", "catalog.products", "sales.orders"])
        #expect(report.collections.map(\.documents) == [1, 1, 2])
        #expect(report.total.documents == 4)
    }

    @Test("A few examples are kept, and all items are counted")
    func examplesAreBounded() {
        var outcome = ReportOutcome()
        for number in 1...100 { outcome.add("doc-\(number)") }
        #expect(outcome.documents == 100)
        #expect(outcome.examples == ["doc-1", "doc-2", "doc-3", "doc-4", "doc-5"])
        outcome += outcome
        #expect(outcome.documents == 200)
        #expect(outcome.examples.count == 5)
    }

    @Test("Failures make a report unclean")
    func cleanliness() {
        func isClean(_ change: (inout MigrationReport) -> Void) -> Bool {
            var report = MigrationReport(run: Self.run)
            change(&report)
            return report.isClean
        }
        #expect(isClean { _ in })
        #expect(isClean { $0.count(in: "a.b") { $0.unmatched.add("x") } })
        #expect(isClean { $0.verification = ReportVerification() })
        #expect(!isClean { $0.count(in: "a.b") { $0.clashes.add("x") } })
        #expect(!isClean { $0.count(in: "a.b") { $0.quarantined.add("x") } })
        #expect(!isClean { $0.failures.add(ReportFailure(id: "x", reason: "no JSON")) })
        #expect(
            !isClean {
                var verification = ReportVerification()
                verification.add(ReportDifference(.missing, collection: "a.b", id: "x"))
                $0.verification = verification
            })
    }

    @Test("A report is read as it was written")
    func roundTrip() throws {
        let report = SampleReport.full
        let decoded = try JSONDecoder().decode(MigrationReport.self, from: Data(try report.json()))
        #expect(decoded == report)
    }

    @Test("The keys of its JSON stay the same")
    func keys() throws {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(try SampleReport.full.json())) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "collections", "failures", "format", "missingAttachments", "run", "sight", "timeline", "unseen", "verification",
            ])
        let run = try #require(object["run"] as? [String: Any])
        #expect(run["started"] as? String == "2025-11-21T10:20:57Z")
        #expect(
            run.keys.sorted() == [
                "earlierDocuments", "earlierSeconds", "expectedDocuments", "finished", "isDryRun", "kind", "message", "options", "resumed",
                "routes", "seconds", "seenChannels", "source", "sourceKind", "started", "state", "target", "version",
            ])
        let collection = try #require((object["collections"] as? [[String: Any]])?.first)
        #expect(
            collection.keys.sorted() == [
                "alreadyThere", "attachments", "bytes", "clashes", "conflicts", "documents", "missingAttachments", "name", "quarantined",
                "tombstones", "unmatched", "written",
            ])
        #expect((object["failures"] as? [String: Any])?.keys.sorted() == ["count", "items"])
        let verification = try #require(object["verification"] as? [String: Any])
        #expect(
            verification.keys.sorted() == [
                "bodies", "changedAtSource", "compared", "differences", "equal", "kinds", "onlyAtTarget", "seconds", "shownOtherwise",
            ])
    }

    @Test("An unknown value of an item is null, with its key")
    func nullKeys() throws {
        var report = MigrationReport(run: Self.run)
        report.failures.add(ReportFailure(id: "x", reason: "no JSON"))
        report.missingAttachments.add(MissingAttachment(collection: "a.b", id: "x", revision: "1-a", name: "p", digest: nil))
        report.unseen.add(InaccessibleRevision(id: "x"))
        report.timeline.add(time: 0, documents: 0, bytes: 0, activity: "reading", throttle: nil)
        var verification = ReportVerification()
        verification.add(ReportDifference(.missing, collection: "a.b", id: "x"))
        report.verification = verification
        let object = try #require(try JSONSerialization.jsonObject(with: Data(try report.json())) as? [String: Any])
        func first(_ list: Any?, _ key: String = "items") throws -> [String: Any] {
            try #require(((list as? [String: Any])?[key] as? [[String: Any]])?.first)
        }
        #expect(try first(object["failures"]).keys.sorted() == ["collection", "id", "place", "reason", "revision"])
        #expect(try first(object["missingAttachments"]).keys.sorted() == ["collection", "digest", "id", "name", "revision"])
        #expect(try first(object["unseen"]).keys.sorted() == ["id", "revision"])
        #expect(
            try first(object["timeline"], "samples").keys.sorted() == ["activity", "bytes", "documents", "rate", "throttle", "time"])
        let differences = (object["verification"] as? [String: Any])?["differences"]
        #expect(try first(differences).keys.sorted() == ["collection", "detail", "id", "kind"])
        #expect(try JSONDecoder().decode(MigrationReport.self, from: Data(try report.json())) == report)
    }

    @Test("An impossible date is refused")
    func badTime() {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ReportTime].self, from: Data(#"["yesterday"]"#.utf8)) }
    }
}
