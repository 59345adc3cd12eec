import Access
import Documents
import Testing

@testable import Gateway

/// A name in two Unicode spellings is one channel, role and user, in feeds, reads and sync functions.
@Suite("Names in two Unicode spellings")
struct ComposedNamesTests {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    @Test(
        "A document is visible to grantees of its channel, whatever the spelling of both", arguments: [composed, decomposed],
        [composed, decomposed])
    func channels(ofDocument: String, ofUser: String) async throws {
        let fixture = try await Fixture()
        try await fixture.user("zoe", channels: [ofUser])
        try await fixture.unified.put("doc", channels: [ofDocument])
        let seen = fixture.unified.seen(by: "zoe")
        #expect(try await seen.rows() == ["doc"])
        #expect(try await seen.current("doc") != nil)
        for asked in [Self.composed, Self.decomposed] {
            #expect(try await seen.rows { $0.channels = [asked] } == ["doc"])
        }
        try await fixture.unified.put("doc", channels: [])
        #expect(try await seen.rows().first?.utf8.elementsEqual("doc removed \(Self.composed)".utf8) == true)
        try await fixture.expectSound()
    }

    @Test("The names in channel(), access(), role(), requireAccess() and requireUser() match in both spellings")
    func syncFunction() async throws {
        let fixture = try await Fixture { configuration in
            configuration.collections = [
                CollectionConfiguration(
                    name: .default,
                    syncFunction: """
                        function (doc) {
                          if (doc.grant) { access(doc.grant, doc.to); role(doc.grant, "role:" + doc.to); return }
                          requireAccess(doc.to);
                          requireUser(doc.user);
                          requireRole(doc.to);
                          channel(doc.to)
                        }
                        """)
            ]
        }
        let name = "ren\u{e9}"
        try await fixture.user(name)
        try await fixture.unified.edit("grant", body: #"{"grant":"rene\#u{301}","to":"\#(Self.decomposed)"}"#)
        let seen = fixture.unified.seen(by: name)
        for (index, spelling) in [Self.composed, Self.decomposed].enumerated() {
            try await seen.edit("\(index)", body: #"{"to":"\#(spelling)","user":"rene\#u{301}"}"#)
        }
        #expect(try await seen.rows() == ["0", "1"])
        try await fixture.expectSound()
    }
}
