import Coordination
import Documents
import Gateway
import Migration
import SQLiteStorage
import Storage
import Testing

@Suite("Verification")
struct VerificationTests {
    private func compare(_ first: [SourceItem], _ second: [SourceItem]) async throws -> ReportVerification {
        try await Verification(
            ListSource(first, label: "A"), ListSource(second, label: "B"), limits: SourceBatchLimits(documents: 2)
        ).run()
    }

    private func kinds(_ first: SourceItem, _ second: SourceItem) async throws -> [ReportDifference.Kind] {
        try await compare([first], [second]).differences.items.map(\.kind)
    }

    @Test("The same documents in another order, with other ancestors' bodies, are equal")
    func equal() async throws {
        let a = document("a", revision("1-aa", isLeaf: false), revision("2-bb 1-aa"), revision("!2-bc 1-aa"))
        let again = document("a", revision("!2-bc 1-aa"), revision("2-bb 1-aa"))
        let b = document("b", revision("1-aa", attachments: attachment([1])))
        let report = try await compare([a, b, document("c", revision("1-aa"))], [document("c", revision("1-aa")), b, again])
        #expect(report.isEqual)
        #expect(report.compared == 3 && report.equal == 3)
    }

    @Test("Every kind of difference is reported")
    func differences() async throws {
        let plain = document("a", revision("1-aa"))
        #expect(try await kinds(plain, document("a", revision("2-bb 1-aa"))) == [.winner])
        #expect(try await kinds(document("a", revision("2-bb 1-aa")), document("a", revision("!2-bb 1-aa"))) == [.tombstone])
        #expect(try await kinds(plain, document("a", revision("1-aa"), revision("1-a0"))) == [.leaves])
        #expect(
            try await kinds(document("a", revision("1-aa"), revision("1-a0")), document("a", revision("1-aa"), revision("!1-a0"))) == [
                .leaves
            ])
        let one = document("a", revision("1-aa", attachments: attachment([1])))
        #expect(try await kinds(one, document("a", revision("1-aa", attachments: attachment([2])))) == [.attachments])
        #expect(try await kinds(one, plain) == [.attachments])
        let report = try await compare([document("x", revision("1-aa"))], [document("y", revision("1-aa"))])
        #expect(Set(report.differences.items.map { "\($0.kind) \($0.id)" }) == ["missing x", "extra y"])
        #expect(report.compared == 2 && report.equal == 0)
    }

    @Test("A flat source is compared with collections by legacy IDs, in either direction")
    func legacyIDs() async throws {
        let items = [
            document("user::1", revision("1-aa")), document("o1", revision("1-aa", #"{"type":"order"}"#)), document("x", revision("1-aa")),
        ]
        let target = try Target()
        let database = try await target.database()
        _ = await SourceMigration(ListSource(items), to: database, head: Target.head).run { _ in }
        try await database.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        let forward = try await Verification(ListSource(items), store).run()
        #expect(forward.isEqual && forward.equal == 3, "\(forward.differences.items)")
        let backward = try await Verification(store, ListSource(items)).run()
        #expect(backward.isEqual && backward.equal == 3, "\(backward.differences.items)")
        let itself = try await Verification(store, store).run()
        #expect(itself.isEqual && itself.equal == 3)
        await store.close()
    }

    @Test("A change at the source after the run is no loss")
    func changedAtSource() async throws {
        let items = [document("a", revision("1-aa")), document("b", revision("1-aa"))]
        let target = try Target()
        let database = try await target.database()
        let source = ListSource(items)
        let result = await SourceMigration(source, to: database, head: Target.head).run { _ in }
        #expect(result.cursor == SourceCursor(rawValue: "2"))
        source.state.withLock { $0.items += [document("a", revision("2-bb 1-aa")), document("new", revision("1-aa"))] }
        try await database.close()
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        let told = try await Verification(source, store).run(after: result.cursor)
        #expect(told.isEqual)
        #expect(told.changedAtSource.documents == 2)
        // Without the run's end the changes cannot be distinguished.
        #expect(try await Verification(source, store).run().differences.count == 2)
        await store.close()
    }

    @Test("Documents in quarantine are missing with their reason, and left-out ones are not missing")
    func explained() async throws {
        let items = [document("_bad", revision("1-aa")), document("other", revision("1-aa")), document("user::1", revision("1-aa"))]
        let target = try Target()
        let database = try await target.database()
        var options = MigrationOptions()
        options.imports.collectionsOnly = true
        let source = ListSource(items)
        _ = await SourceMigration(source, to: database, options: options, head: Target.head).run { _ in }
        let store = StoreSource(try SQLiteStore(path: target.path), label: "store")
        let report = try await Verification(source, store, imports: options.imports, routing: database).run()
        #expect(report.differences.items.map(\.id) == ["_bad"])
        #expect(report.differences.items.first?.detail?.hasPrefix("in quarantine") == true)
        await store.close()
        try await database.close()
    }
}
