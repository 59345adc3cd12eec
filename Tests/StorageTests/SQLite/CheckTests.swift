import Coordination
import Documents
import GRDB
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Checking a store")
struct CheckTests {
    /// A direct change of the database, and the expected finding.
    struct Damage: CustomTestStringConvertible, Sendable {
        let sql: String
        let subject: StoreProblem.Subject

        var testDescription: String { sql }

        init(_ sql: String, _ subject: StoreProblem.Subject) {
            self.sql = sql
            self.subject = subject
        }
    }

    static let damages = [
        Damage("UPDATE documents SET tree = x'0909' WHERE key = 1", .document),
        Damage("UPDATE documents SET revision = '1-ff' WHERE key = 1", .document),
        Damage("UPDATE documents SET revision = 'what' WHERE key = 1", .document),
        Damage("UPDATE documents SET flags = flags | 1 WHERE key = 1", .document),
        Damage("UPDATE documents SET sequence = 2000000000000 WHERE key = 1", .document),
        Damage("UPDATE documents SET sequence = NULL WHERE key = 1", .document),
        Damage("UPDATE documents SET collection = 99 WHERE key = 1", .document),
        Damage("UPDATE document_counts SET live = live + 1", .database),
        Damage("UPDATE document_counts SET qualified = qualified + 1", .database),
        Damage("UPDATE collections SET is_hidden = 1", .document),
        Damage("DELETE FROM settings WHERE name = 'store.uuid'", .database),
        Damage("DELETE FROM bodies WHERE is_leaf = 1", .body),
        Damage("UPDATE bodies SET is_leaf = 0", .body),
        Damage("UPDATE bodies SET is_leaf = 1", .body),
        Damage("UPDATE bodies SET revision = 'what' WHERE is_leaf = 0", .body),
        Damage("INSERT INTO bodies (document, revision, is_leaf) VALUES (99, '1-aa', 0)", .reference),
        Damage("INSERT INTO departures VALUES (1, 'x', 99, 5)", .reference),
        Damage("INSERT INTO departures VALUES (1, 'x', 1, 2000000000000)", .reference),
        Damage("INSERT INTO returns VALUES (99, 1, 5)", .reference),
        Damage("INSERT INTO returns VALUES (1, 1, 2000000000000)", .reference),
        Damage("INSERT INTO moves VALUES (1, 99, 1, NULL, NULL)", .reference),
        Damage("INSERT INTO versions (document, revision, vector) VALUES (99, '1-aa', '1@AAAAAAAAAAAAAAAAAAAAAA')", .reference),
        Damage("UPDATE attachments SET length = 4", .attachment),
        Damage("UPDATE attachment_parts SET bytes = x'010204'", .attachment),
        Damage("DELETE FROM attachment_parts", .attachment),
        Damage("DELETE FROM attachments", .attachment),
        Damage("DELETE FROM attachment_uses", .attachment),
        Damage("UPDATE attachments SET uses = 2", .attachment),
        Damage("UPDATE documents SET attachments = '{' WHERE attachments IS NOT NULL", .attachment),
        Damage("INSERT INTO attachment_aliases VALUES ('md5-x', 99)", .attachment),
    ]

    private func fill(_ store: SQLiteStore) async throws {
        try await store.write { transaction in
            try transaction.add("a")
            try transaction.edit("a", ["2-aa", "1-aa"])
            try transaction.edit("a", ["2-bb", "1-aa"])
            let digest = AttachmentDigest.sha1(of: [1, 2, 3])
            let attachment = try transaction.insertAttachment([1, 2, 3], digest: digest)
            let document = try DocumentRecord.new("b", tree(["1-aa"]), sequence: transaction.nextSequence(), hasAttachments: true)
            let metadata = "{\"x\":{\"digest\":\"\(digest)\",\"length\":3,\"revpos\":1,\"stub\":true}}"
            let key = try transaction.insert(document, winnerBody: content("{}", attachments: metadata))
            try transaction.setAttachments([attachment.key], usedBy: key)
        }
    }

    @Test("A sound store has no problems, and progress is reported")
    func sound() async throws {
        try await withStore { store in
            try await fill(store)
            let stages = Lock<[CheckProgress.Stage]>([])
            let report = try await store.check(limit: 100) { progress in stages.withLock { $0.append(progress.stage) } }
            #expect(report.problems.isEmpty)
            #expect(report.documents == 2)
            #expect(report.attachments == 1)
            #expect(Set(stages.withLock { $0 }) == [.file, .documents, .references, .attachments])
        }
    }

    @Test("Every kind of damage is found", arguments: damages)
    func finds(damage: Damage) async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try await fill(store)
        let database = try DatabaseQueue(path: SQLiteStore.file(in: folder.store))
        try await database.write { try $0.execute(sql: damage.sql.replacing("'{'", with: "CAST('{' AS BLOB)")) }
        try database.close()
        let report = try await store.check()
        #expect(report.counts[damage.subject] != nil, "\(report.problems)")
        try await store.close()
    }

    @Test("All problems are counted, and at most the requested number is described")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try await store.write { for index in 0..<50 { try $0.add("d\(index)") } }
        let database = try DatabaseQueue(path: SQLiteStore.file(in: folder.store))
        try await database.write { try $0.execute(sql: "UPDATE documents SET flags = 4") }
        try database.close()
        let report = try await store.check(limit: 5)
        #expect(report.problems.count == 5)
        #expect(report.counts[.document] == 50)
        try await store.close()
    }

    @Test("A check can be cancelled")
    func cancellation() async throws {
        try await withStore { store in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.check()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
