import Documents
import Testing

@Suite("Rendered documents")
struct DocumentRendererTests {
    private func render(_ renderer: DocumentRenderer) -> String {
        var json: [UInt8] = []
        renderer.append(to: &json)
        return text(json)
    }

    @Test("A document has its metadata and its unchanged members")
    func whole() throws {
        var renderer = DocumentRenderer(id: "a\"b", revision: try revision("3-c"), isDeleted: true, body: bytes(#"{ "n":1.0, "x":[] }"#))
        renderer.history = try revisions("3-c", "2-b")
        renderer.attachments = bytes("{}")
        renderer.expiry = bytes("\"2026-11-21T03:08:47Z\"")
        renderer.conflicts = try revisions("3-b", "2-x")
        renderer.deletedConflicts = try revisions("3-a")
        renderer.isRemoved = true
        #expect(
            render(renderer) == #"{"_id":"a\"b","_rev":"3-c","_deleted":true,"_removed":true,"_revisions":{"start":3,"ids":["c","b"]},"#
                + #""_attachments":{},"_exp":"2026-11-21T03:08:47Z","_conflicts":["3-b","2-x"],"_deleted_conflicts":["3-a"],"n":1.0, "x":[]}"#
        )
    }

    @Test("An empty body adds nothing", arguments: ["{}", "{ \n}"])
    func empty(body: String) throws {
        let json = render(DocumentRenderer(id: "d", revision: try revision("1-a"), body: bytes(body)))
        #expect(json == #"{"_id":"d","_rev":"1-a"}"#)
    }

    @Test("A rendered document parses to its parts")
    func roundTrip() throws {
        let body = bytes(#"{"a":1e400,"b":"\u00e9"}"#)
        let document = try ParsedDocument(
            bytes(render(DocumentRenderer(id: "d/é", revision: try revision("2-é\"\\"), body: body))), policy: .legacy)
        #expect(document.id == "d/é")
        #expect(document.revision?.text == "2-é\"\\")
        #expect(document.body == body)
    }
}
