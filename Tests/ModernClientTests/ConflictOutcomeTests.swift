import Documents
import Gateway
import Storage
import Testing

@testable import ModernClient

@Suite("The write that follows a conflict resolution")
struct ConflictOutcomeTests {
    private static let same = #""digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":11"#
    private static let other = #""digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=","length":0"#

    @Test(
        "An attachment that the server's revision lacks gets a revpos of the result",
        arguments: [ConflictResolver.Resolution.local, .merged(Array(#"{"by":"both"}"#.utf8))])
    func attachments(resolution: ConflictResolver.Resolution) throws {
        let history = ["2-ab", "1-aa"].compactMap { RevisionID($0) }
        let local = #"{"a":{"stub":true,\#(Self.same),"revpos":1},"b":{"stub":true,\#(Self.same),"revpos":1}}"#
        let remote = #"{"a":{"stub":true,\#(Self.same),"revpos":2},"c":{"stub":true,\#(Self.other),"revpos":1}}"#
        let write = RevisionWrite(
            id: "d", kind: .replicated(history: history, conflicts: .refuse), isDeleted: false, body: Array("{}".utf8),
            attachments: try AttachmentSet(Array(remote.utf8)))
        let conflict = Conflict(
            documentID: "d",
            local: Conflict.Side(
                revision: try #require(RevisionID("1-cc")), isDeleted: false, body: Array("{}".utf8), attachments: Array(local.utf8),
                version: nil),
            remote: Conflict.Side(
                revision: history[0], isDeleted: false, body: Array("{}".utf8), attachments: Array(remote.utf8), version: nil))
        let outcome = try ConflictOutcome(resolution, of: conflict, remote: write, history: history)
        let set = try #require(outcome.writes.last?.attachments)
        #expect(outcome.result.generation == 3)
        #expect(set["a"]?.revpos == 2 && set["b"]?.revpos == 3)
        #expect(set["c"]?.revpos == (resolution == .local ? nil : 1))
    }
}
