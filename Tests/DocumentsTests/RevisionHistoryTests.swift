import Documents
import Testing

@Suite("Revision histories")
struct RevisionHistoryTests {
    private func read(_ json: String) throws -> [RevisionID] {
        try JSONReader.read(bytes(json)) { try RevisionHistory.read(&$0) }
    }

    @Test("_revisions is read in any order of its members")
    func legacy() throws {
        let expected = try revisions("3-c", "2-b", "1-a")
        #expect(try read(#"{"start":3,"ids":["c","b","a"]}"#) == expected)
        #expect(try read(#"{"ids":["\u0063","b","a"],"start":3,"more":[1]}"#) == expected)
        #expect(try read(#"{"start":3,"ids":["c"]}"#) == Array(expected.prefix(1)))
    }

    @Test(
        "A malformed _revisions is refused",
        arguments: [
            "[]", "1", "{}", #"{"start":3}"#, #"{"ids":["a"]}"#, #"{"start":1,"ids":[]}"#, #"{"start":1,"ids":["a","b"]}"#,
            #"{"start":0,"ids":["a"]}"#, #"{"start":-1,"ids":["a"]}"#, #"{"start":"1","ids":["a"]}"#, #"{"start":1.5,"ids":["a"]}"#,
            #"{"start":1,"ids":"a"}"#, #"{"start":1,"ids":[1]}"#, #"{"start":1,"ids":[""]}"#, #"{"start":1,"ids":["a b"]}"#,
            #"{"start":9007199254740992,"ids":["a"]}"#, #"{"start":1,"ids":["\ud800"]}"#,
        ])
    func malformed(json: String) {
        #expect(code { _ = try read(json) } == .badRevisions)
    }

    @Test("_revisions is written as Sync Gateway's clients read it, and ends at a gap")
    func writing() throws {
        var json: [UInt8] = []
        RevisionHistory.append(try revisions("3-c\"", "2-c5557c751fcbfe4cd1f7221085d9ff70", "1-a"), to: &json)
        #expect(text(json) == #"{"start":3,"ids":["c\"","c5557c751fcbfe4cd1f7221085d9ff70","a"]}"#)
        json = []
        RevisionHistory.append(try revisions("9-c", "8-b", "3-a"), to: &json)
        #expect(text(json) == #"{"start":9,"ids":["c","b"]}"#)
    }

    @Test("BLIP's properties are read with and without spaces, and written without")
    func modern() throws {
        let expected = try revisions("3-c", "2-b", "1-a")
        #expect(try RevisionHistory.parse(rev: "3-c", history: "2-b,1-a") == expected)
        #expect(try RevisionHistory.parse(rev: "3-c", history: " 2-b , 1-a ") == expected)
        #expect(try RevisionHistory.parse(rev: "3-c", history: nil) == Array(expected.prefix(1)))
        #expect(try RevisionHistory.parse(rev: "3-c", history: "") == Array(expected.prefix(1)))
        #expect(RevisionHistory.property(expected) == "2-b,1-a")
        #expect(RevisionHistory.property(Array(expected.prefix(1))) == nil)
    }

    @Test("Malformed properties are refused")
    func malformedProperties() {
        #expect(code { _ = try RevisionHistory.parse(rev: "x", history: nil) } == .badRevisionID)
        for history in ["x", "2-b,", ",2-b", "2-b,,1-a", "3-c", "1-a,2-b"] {
            #expect(code { _ = try RevisionHistory.parse(rev: "3-c", history: history) } == .badRevisions)
        }
    }
}
