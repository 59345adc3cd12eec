import Coordination
import Gateway
import Migration
import Testing

@Suite("Documents that the login cannot see")
struct UnseenTests {
    private let items: [SourceItem] = [
        document("a", revision("1-aa")), .fault(SourceFault(id: "a", revision: "1-zz", reason: "not seen", isUnseen: true)),
        .fault(SourceFault(id: "gone", reason: "not seen", isUnseen: true)), document("b", revision("1-aa")),
    ]

    @Test("Hidden documents are counted and listed, in a dry run and a run, and are neither failures nor in quarantine")
    func counted() async throws {
        let target = try Target()
        let database = try await target.database()
        let migration = SourceMigration(ListSource(items), to: database, head: Target.head)
        let expected = [InaccessibleRevision(id: "a", revision: "1-zz"), InaccessibleRevision(id: "gone")]
        for report in [await migration.preview { _ in }.report, await migration.run { _ in }.report] {
            #expect(report.unseen.count == 2 && report.unseen.items == expected)
            #expect(report.isClean && !report.sawEverything)
            #expect(report.total.documents == 2 && report.total.quarantined.documents == 0)
        }
        #expect(try await Quarantine(database).count() == 0)
        try await database.close()
    }

    @Test("Hidden documents are counted once if the run was stopped in between, and are no failure if a part is intended")
    func resumed() async throws {
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(items)
        source.state.withLock { $0.breaksAt = 3 }
        var options = MigrationOptions()
        options.batch.documents = 1
        var head = Target.head
        head.options["partial"] = "true"
        let migration = SourceMigration(source, to: database, options: options, head: head)
        #expect(await migration.run { _ in }.failure != nil)
        source.state.withLock { $0.breaksAt = nil }
        let report = await migration.run { _ in }.report
        #expect(report.unseen.count == 2 && report.sawEverything && report.isPartMeant)
        #expect(report.total.documents == 2)
        try await database.close()
    }
}
