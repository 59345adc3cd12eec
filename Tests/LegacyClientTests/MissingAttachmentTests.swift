import Documents
import Gateway
import LegacyTestSupport
import Storage
import Testing

@testable import LegacyClient

@Suite("Pulled attachments whose bytes are missing", .timeLimit(.minutes(5)))
struct MissingAttachmentTests {
    @Test("A pulled document keeps its stubs, and gets the bytes when they arrive")
    func pulled() async throws {
        let fixture = try await ReplicationFixture()
        try await MissingAttachments.write(to: fixture.there.bridge)
        let pull = try await fixture.run(.pull)
        #expect(pull.lastError == nil && pull.failedDocuments.isEmpty)
        let keyspace = fixture.here.database.unified
        #expect(try await keyspace.attachment(named: "here", of: "d", revision: .current).1.length == 1)
        await #expect(throws: GatewayError.self) { try await keyspace.attachment(named: "gone", of: "d", revision: .current) }
        let upload = keyspace.receiveAttachment()
        try await upload.append([9])
        _ = try await upload.finish()
        #expect(try await keyspace.attachment(named: "gone", of: "d", revision: .current).1.length == 1)
        await fixture.there.close()
    }
}
