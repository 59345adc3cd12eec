import Coordination
import Documents
import Foundation
import Gateway
import Migration
import Storage
import Testing

@Suite("Documents with attachments that the source lacks")
struct MissingAttachmentTests {
    private func run(_ source: any MigrationSource, _ database: Database) async -> MigrationResult {
        await SourceMigration(source, to: database, head: Target.head).run { _ in }
    }

    private let lacking = document(
        "lacks", revision("1-aa", isLeaf: false), revision("2-bb 1-aa", #"{"n":1}"#, attachments: attachment([9])))

    private func uses(_ digest: AttachmentDigest, _ database: Database) async throws -> Bool {
        try await database.inSnapshot { snapshot in
            guard let key = try snapshot.document(unifiedID: "lacks")?.key, let record = try snapshot.attachment(digest) else {
                return false
            }
            return try snapshot.uses(key, record)
        }
    }

    @Test("The documents are written with stubs, counted and listed, and are not in quarantine")
    func kept() async throws {
        let target = try Target()
        let database = try await target.database()
        let result = await run(ListSource([lacking]), database)
        #expect(result.report.isClean)
        #expect(result.report.total.missingAttachments == 1)
        let digest = AttachmentDigest.sha1(of: [9])
        let expected = MissingAttachment(
            collection: "_default._default", id: "lacks", revision: "2-bb", name: "a", digest: digest.description)
        #expect(result.report.missingAttachments.items == [expected])
        var listed: [MissingAttachment] = []
        try await MissingAttachments(database).each { listed.append($0) }
        #expect(listed == [expected])
        await #expect(throws: GatewayError.self) {
            try await database.unified.attachment(named: "a", of: "lacks", revision: .current)
        }
        try await database.close()
        #expect(try await target.contents().first?.contains("2-bb 1-aa {\"n\":1} a=\(digest)") == true)
        try await target.expectSound()
    }

    @Test("The bytes are added by a later run, by `retry`, and by any client", arguments: 0..<3)
    func filled(way: Int) async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(ListSource([lacking]), database)
        let digest = AttachmentDigest.sha1(of: [9])
        let whole = ListSource([lacking], label: "whole", attachments: [[9]])
        switch way {
        case 0: #expect(await run(whole, database).report.total.missingAttachments == 0)
        case 1: #expect(try await Quarantine(database).retry(from: whole).completed == 1)
        default:
            let upload = database.unified.receiveAttachment()
            try await upload.append([9])
            _ = try await upload.finish()
        }
        #expect(try await MissingAttachments(database).count() == 0)
        #expect(try await uses(digest, database))
        #expect(try await database.unified.attachment(named: "a", of: "lacks", revision: .current).1.length == 1)
        try await database.close()
        try await target.expectSound()
    }

    @Test("CouchDB's digest of compressed bytes is found by the attachment's position")
    func foreignDigest() async throws {
        let target = try Target()
        let database = try await target.database()
        let md5 = AttachmentDigest.md5(of: [1, 1, 1])
        let stub = AttachmentSet([AttachmentMetadata(name: "a", digest: md5, length: 1, revpos: 1)])
        _ = await run(ListSource([document("lacks", revision("1-aa", attachments: stub))]), database)
        let inline = AttachmentSet([AttachmentMetadata(name: "a", revpos: 1, source: .inline(Array("CQ==".utf8)))])
        _ = await run(ListSource([document("lacks", revision("1-aa", attachments: inline))], label: "another"), database)
        #expect(try await MissingAttachments(database).count() == 0)
        #expect(try await uses(md5, database))
        try await database.close()
        try await target.expectSound()
    }

    @Test(
        "An edit by a 1.x client, with the stub, and by a 2.x client, without it, is accepted without the bytes",
        arguments: [true, false])
    func edited(isLegacy: Bool) async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(ListSource([lacking]), database)
        let history = try ["3-cc", "2-bb", "1-aa"].map { try #require(RevisionID($0)) }
        var stub = attachment([9])
        stub.entries[0].source = .stub
        let write = RevisionWrite(
            id: "lacks", kind: .replicated(history: history, conflicts: isLegacy ? .branch : .refuse), isDeleted: false,
            body: Array("{}".utf8), attachments: isLegacy ? stub : nil)
        #expect(try await database.unified.write(write).isNew)
        var listed: [MissingAttachment] = []
        try await MissingAttachments(database).each { listed.append($0) }
        #expect(listed.map(\.revision) == ["3-cc"])
        // A stub gives no access to attachments that the document does not have.
        var foreign = attachment([8])
        foreign.entries[0].source = .stub
        let next = try #require(RevisionID("4-dd"))
        let other = RevisionWrite(
            id: "lacks", kind: .replicated(history: [next] + history, conflicts: .branch), isDeleted: false, body: Array("{}".utf8),
            attachments: foreign)
        await #expect(throws: GatewayError.self) { try await database.unified.write(other) }
        try await database.close()
        try await target.expectSound()
    }

    @Test("A purged document lacks no attachments")
    func purged() async throws {
        let target = try Target()
        let database = try await target.database()
        _ = await run(ListSource([lacking]), database)
        try await database.inTransaction { transaction in
            if let key = try transaction.document(unifiedID: "lacks")?.key { try transaction.purge(key) }
        }
        #expect(try await MissingAttachments(database).count() == 0)
        try await database.close()
        try await target.expectSound()
    }
}
