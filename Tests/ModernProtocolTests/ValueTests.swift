import Documents
import Testing

@testable import ModernProtocol

@Suite("Values of the 2.x+ protocol")
struct ValueTests {
    private static func ids(_ texts: [String]) -> [RevisionID] { texts.compactMap { RevisionID($0) } }

    @Test("A history ends at a known revision and at the limit, and the known revision replaces the last one")
    func limitsHistory() {
        let history = Self.ids(["5-aa", "4-aa", "3-aa", "2-aa", "1-aa"])
        let known = Set(Self.ids(["2-aa"]))
        #expect(ModernHistory.property(history, known: [], limit: 50) == "4-aa,3-aa,2-aa,1-aa")
        #expect(ModernHistory.property(history, known: known, limit: 50) == "4-aa,3-aa,2-aa")
        #expect(ModernHistory.property(history, known: [], limit: 3) == "4-aa,3-aa")
        #expect(ModernHistory.property(history, known: known, limit: 3) == "4-aa,2-aa")
        #expect(ModernHistory.property(history, known: [], limit: 1) == nil)
        #expect(ModernHistory.property(Self.ids(["1-aa"]), known: [], limit: 50) == nil)
    }

    @Test("Gaps in a history are filled, up to the limit, with IDs that LiteCore can read")
    func fillsGaps() throws {
        let history = Self.ids(["5-aa", "2-aa", "1-aa"])
        let filled = try #require(ModernHistory.property(history, known: [], limit: 50)).split(separator: ",").map(String.init)
        #expect(filled.count == 4 && filled.suffix(2) == ["2-aa", "1-aa"])
        #expect(filled[0].hasPrefix("4-faded000") && filled[0].count == 26 && filled[1] == "3" + filled[0].dropFirst())
        #expect(filled.allSatisfy { RevisionID($0)?.isNative ?? false })
        #expect(ModernHistory.property(history, known: [], limit: 50) == filled.joined(separator: ","))
        let distant = Self.ids(["9007199254740991-aa", "1-aa"])
        #expect(ModernHistory.property(distant, known: [], limit: 20)?.split(separator: ",").count == 19)
    }

    @Test("The gaps of two branches have no ancestor in common")
    func keepsBranchesApart() throws {
        let histories = try [["5-aa", "1-aa"], ["5-bb", "1-bb"], ["4-aa", "1-aa"]].map { texts in
            try #require(ModernHistory.property(Self.ids(texts), known: [], limit: 50)).split(separator: ",").dropLast()
        }
        #expect(Set(histories.joined()).count == 3 + 3 + 2)
    }

    @Test(
        "Members are inserted before an object's own, whose bytes are unchanged",
        arguments: [
            ("{}", #"{"a":1}"#), (#"{"b":2}"#, #"{"a":1,"b":2}"#), (" { \n } ", "{\"a\":1 \n } "),
            (#"{ "b" : 1e400 }"#, #"{"a":1, "b" : 1e400 }"#),
        ])
    func addsMembers(object: String, result: String) {
        #expect(JSONObject.adding(Array(#""a":1"#.utf8), to: Array(object.utf8)) == Array(result.utf8))
    }

    @Test(
        "Compression is requested where it is worthwhile",
        arguments: [
            ("a.txt", "text/plain", nil, true), ("a", nil, nil, true), ("a.jpg", nil, nil, false), ("a", "image/png", nil, false),
            ("a", "image/svg+xml", nil, true), ("a", "application/zip", nil, false), ("a", "text/plain", "gzip", false),
            ("A.ZIP", "text/plain", nil, false),
        ] as [(String, String?, String?, Bool)])
    func hints(name: String, type: String?, encoding: String?, worthwhile: Bool) {
        #expect(CompressionHint.isWorthwhile(AttachmentMetadata(name: name, contentType: type, encoding: encoding)) == worthwhile)
    }

    @Test("A permit lasts until the last revision that needs it has a reply")
    func permits() {
        var permits = AttachmentPermits()
        let digest = AttachmentDigest.sha1(of: [1])
        permits.grant([SentAttachment(digest: digest)], of: "a", in: 0, until: 1)
        permits.grant([SentAttachment(digest: digest)], of: "a", in: 0, until: 2)
        #expect(permits.attachment(digest, of: "a", in: 0) != nil && permits.attachment(digest, of: nil, in: 0) != nil)
        #expect(permits.attachment(digest, of: "b", in: 0) == nil && permits.attachment(digest, of: "a", in: 1) == nil)
        permits.release(1)
        permits.release(1)
        #expect(permits.attachment(digest, of: "a", in: 0) != nil)
        permits.release(2)
        #expect(permits.attachment(digest, of: "a", in: 0) == nil && permits.attachment(digest, of: nil, in: 0) == nil)
    }

    @Test("A proof has a random nonce of 20 bytes, and a nonce of 0 or 256 bytes is refused")
    func proves() throws {
        #expect(AttachmentProof().nonce.count == 20)
        #expect(AttachmentProof().nonce != AttachmentProof().nonce)
        for count in [0, 256] {
            #expect(throws: BLIPRequestError.self) { try AttachmentProof(nonce: Array(repeating: 0, count: count)) }
        }
    }
}
