import Access
import Documents
import HTTPTypes
import LegacyTestSupport
import Storage
import Testing

/// A document whose winner is in a channel that its reader never had, with a branch in a channel that the reader has.
@Suite("Documents with a visible branch and a hidden winner")
struct WithheldBranchTests {
    private let hello = "sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0="

    private func bridge() async throws -> Bridge {
        let bridge = try await Bridge()
        var change = AccountChange()
        change.channels = ["a"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        try await bridge.push(
            #"{"_id":"d","_rev":"2-zz","_revisions":{"start":2,"ids":["zz","yy"]},"channels":["x"],"_attachments":{"b":{"data":"aGk="}}}"#,
            #"{"_id":"d","_rev":"1-aa","channels":["a"],"_attachments":{"a":{"data":"aGVsbG8gd29ybGQ="}}}"#)
        return bridge
    }

    private func anna(_ bridge: Bridge, _ target: String) async throws -> Answer {
        try await Answer(try await bridge.respond(.get, target, as: .user("anna")))
    }

    @Test("The branch and its attachment are readable; the document, its winner and the winner's attachment are missing")
    func read() async throws {
        let bridge = try await bridge()
        let branch = try await anna(bridge, "/db/d?rev=1-aa")
        #expect(branch.status == 200)
        #expect(try branch.json["_attachments"]?["a"]?["digest"]?.string == hello)
        #expect(try await anna(bridge, "/db/d/a?rev=1-aa").text == "hello world")
        #expect(try await anna(bridge, "/db/d?open_revs=all").text.contains("1-aa"))
        for hidden in ["/db/d", "/db/d?rev=2-zz", "/db/d?rev=1-yy", "/db/d/b?rev=2-zz", "/db/d/b", "/db/d/a"] {
            #expect(try await anna(bridge, hidden).status == 404)
        }
    }

    @Test("An edit of the branch keeps its attachment; a stub of the winner's attachment is refused", arguments: [("a", 201), ("b", 412)])
    func edited(_ name: String, _ status: Int) async throws {
        let bridge = try await bridge()
        let edit =
            #"{"_rev":"2-bb","_revisions":{"start":2,"ids":["bb","aa"]},"channels":["a"],"_attachments":{"\#(name)":{"stub":true,"revpos":1}}}"#
        let answer = try await Answer(
            try await bridge.respond(
                .put, "/db/d?new_edits=false", headers: [.contentType: "application/json"], body: Array(edit.utf8), as: .user("anna")))
        #expect(answer.status == status)
        #expect(try await anna(bridge, "/db/d/a?rev=2-bb").status == (status == 201 ? 200 : 404))
    }

    @Test("An attachment is added to the branch; adding one to the winner is a conflict")
    func put() async throws {
        let bridge = try await bridge()
        func put(_ revision: String) async throws -> Answer {
            try await Answer(try await bridge.respond(.put, "/db/d/c?rev=\(revision)", body: Array("x".utf8), as: .user("anna")))
        }
        #expect(try await put("1-aa").status == 201)
        #expect(try await put("2-zz").status == 409)
    }
}
