import Documents
import Testing

@Suite("Revision IDs")
struct RevisionIDTests {
    @Test(
        "Well-formed IDs are written as they were read",
        arguments: [
            "1-a", "1-abc", "3-ccc", "2-c5557c751fcbfe4cd1f7221085d9ff70", "9007199254740991-00", "1-ABCD", "1-a-b", "1-é", "1-\"\\",
            "2-47f959e15c2deb980dfb48fe727e5caa1229ee33", "1-47f959e15c2deb980dfb48fe727e5caa1229ee3300",
            "1-" + String(repeating: "x", count: 250),
        ])
    func roundTrip(text: String) throws {
        let id = try #require(RevisionID(text))
        #expect(id.text == text)
        #expect(id.description == text)
        #expect(RevisionID(utf8: Array(text.utf8)) == id)
        let hyphen = try #require(text.firstIndex(of: "-"))
        #expect(String(id.generation) == text[..<hyphen])
        #expect(id.digest == text[text.index(after: hyphen)...])
        #expect(RevisionID(generation: id.generation, digest: id.digest) == id)
    }

    @Test(
        "Malformed IDs are refused",
        arguments: [
            "", "1", "1-", "-a", "0-a", "01-a", "+1-a", "-1-a", "x-a", "1_a", " 1-a", "1-a b", "1-a,b", "1-a\n", "1-\u{7f}", "1-\0",
            "9007199254740992-a", "99999999999999999999-a", "1 -a", "1-" + String(repeating: "x", count: 251),
        ])
    func refused(text: String) {
        #expect(RevisionID(text) == nil)
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(RevisionID(utf8: [0x31, 0x2d, 0xff]) == nil)
        #expect(RevisionID(generation: 0, digest: "a") == nil)
        #expect(RevisionID(generation: 1, digest: "") == nil)
    }

    @Test("IDs are ordered by generation, then by the digest's bytes, in any representation")
    func order() throws {
        let texts = ["1-ff", "2-AB", "2-a", "2-aa", "2-aa00", "2-aab", "2-ab", "2-é", "9-00", "10-00"]
        let ids = try texts.map { try #require(RevisionID($0)) }
        #expect(ids.shuffled().sorted() == ids)
        for (left, right) in zip(ids, ids.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
    }

    @Test("IDs are equal by their bytes, not by canonical equivalence")
    func equality() throws {
        let composed = try #require(RevisionID("1-\u{e9}"))
        let decomposed = try #require(RevisionID("1-e\u{301}"))
        #expect(composed != decomposed)
    }

    @Test(
        "Native IDs are those of LiteCore's rule",
        arguments: [
            ("1-ab", true), ("1-abc", false), ("1-AB", false), ("1-xy", false), ("1-a", false), ("4294967295-ab", true),
            ("4294967296-ab", false), ("1-" + String(repeating: "ab", count: 41), true), ("1-" + String(repeating: "ab", count: 42), false),
            ("128-" + String(repeating: "ab", count: 40), true), ("128-" + String(repeating: "ab", count: 41), false),
        ])
    func native(text: String, isNative: Bool) throws {
        #expect(try #require(RevisionID(text)).isNative == isNative)
    }

    @Test("A foreign ID has the SHA-1 of its text as its alias, and a native one is its own alias")
    func alias() throws {
        let foreign = try #require(RevisionID("1-abc"))
        // printf %s 1-abc | sha1sum
        #expect(foreign.modernAlias.text == "1-0aaef65f7fb7a1668e3db34ed51b2f51f9605175")
        #expect(foreign.modernAlias.isNative)
        let native = try #require(RevisionID("1-abcd"))
        #expect(native.modernAlias == native)
    }
}
