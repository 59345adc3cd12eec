import Documents
import Gateway
import Migration
import Storage
import Testing

@Suite("Runs: long histories")
struct DeepHistoryTests {
    private func history(_ depth: Int) -> String {
        (1...depth).reversed().map { "\($0)-\(String($0, radix: 16))" }.joined(separator: " ")
    }

    private func tree(_ id: String, in database: Database) async throws -> RevisionTree {
        try #require(try await database.inSnapshot { try $0.document(unifiedID: id)?.tree })
    }

    @Test("A client finds the revision that it has, within the kept length of histories")
    func kept() async throws {
        let target = try Target()
        let database = try await target.database {
            $0.limits.revisionDepth = 20
            $0.limits.protectedDepth = 60
        }
        let source = ListSource([document("long", revision(history(50))), document("longer", revision(history(100)))])
        let result = await SourceMigration(source, to: database, head: Target.head).run { _ in }
        #expect(result.report.isClean)
        #expect(try await tree("long", in: database).count == 50)
        #expect(try await tree("longer", in: database).count == 60)
        let held = try #require(RevisionID("2-2"))
        let edit = try #require(RevisionID("3-abc"))
        _ = try await database.unified.write(
            RevisionWrite(
                id: "long", kind: .replicated(history: [edit, held], conflicts: .accept), isDeleted: false, body: Array("{}".utf8)))
        #expect(try await tree("long", in: database).isConflicted)
        #expect(try await tree("long", in: database).parent(of: edit) == held)
        try await database.close()
        try await target.expectSound()
    }
}
