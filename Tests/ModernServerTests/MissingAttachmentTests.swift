import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

/// Attachments that documents name and whose bytes are not in the store, as in old data.
@Suite("Attachments whose bytes are missing, over BLIP", .timeLimit(.minutes(5)))
struct MissingAttachmentTests {
    private static let gone = AttachmentMetadata(name: "gone", digest: .sha1(of: [9]), length: 1, revpos: 1)
    private static let here = AttachmentMetadata(name: "here", digest: .sha1(of: [1]), length: 1, revpos: 1)

    private func write(_ entries: [AttachmentMetadata], to bridge: TestBridge) async throws {
        var write = RevisionWrite(
            id: "a", kind: .replicated(history: [try #require(RevisionID("1-aaaa"))], conflicts: .branch), isDeleted: false,
            body: Array(#"{"n":1}"#.utf8), attachments: AttachmentSet(entries), attachmentBytes: [.sha1(of: [1]): [1]])
        write.keepsMissingAttachments = true
        _ = try await bridge.database.unified.write(write)
    }

    private func names(_ bridge: TestBridge, at revision: String) async throws -> [String] {
        let content = try await bridge.database.unified.revision(.revision(try #require(RevisionID(revision))), of: "a")
        return try AttachmentSet(content.body.attachments ?? Array("{}".utf8)).entries.map(\.name).sorted()
    }

    @Test("A client gets the document without the missing attachments, and no request for them", arguments: [[gone], [here, gone]])
    func told(_ entries: [AttachmentMetadata]) async throws {
        let bridge = try await TestBridge()
        try await write(entries, to: bridge)
        try await bridge.connect { peer in
            try await peer.ask("subChanges")
            try await peer.wait { $0.revisions.count == 1 && $0.blobs.count == entries.count - 1 }
            let attachments = try JSONValue(await peer.revisions[0].body)["_attachments"]
            #expect(attachments?["gone"] == nil && (attachments?["here"] != nil) == (entries.count == 2))
        }
    }

    @Test(
        "An edit by a client that did not receive the missing attachments keeps them; a deletion does not",
        arguments: [[gone], [here, gone]])
    func edited(_ entries: [AttachmentMetadata]) async throws {
        let bridge = try await TestBridge()
        try await write(entries, to: bridge)
        try await bridge.connect { peer in
            let stub = #"{"stub":true,"revpos":1,"length":1,"digest":"\#(AttachmentDigest.sha1(of: [1]))"}"#
            let named = entries.count == 2 ? #","_attachments":{"here":\#(stub)}"# : ""
            let reply = try await peer.ask(Requests.rev("a", "2-aaaa", #"{"n":2\#(named)}"#, history: "1-aaaa"))
            #expect(reply.type == .reply)
        }
        #expect(try await names(bridge, at: "2-aaaa") == entries.map(\.name).sorted())
        let history = try ["3-aaaa", "2-aaaa", "1-aaaa"].map { try #require(RevisionID($0)) }
        let deletion = RevisionWrite(
            id: "a", kind: .replicated(history: history, conflicts: .refuse), isDeleted: true, body: Array("{}".utf8))
        _ = try await bridge.database.unified.write(deletion)
        #expect(try await names(bridge, at: "3-aaaa").isEmpty)
    }
}
