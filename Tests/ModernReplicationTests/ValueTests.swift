import BLIP
import Documents
import Gateway
import Storage
import Testing

@testable import ModernClient
@testable import ModernProtocol
@testable import ModernServer

@Suite("Values of the modern protocol")
struct ValueTests {
    @Test(
        "since is read in every form that a server may have given out",
        arguments: [
            ("", 0), ("null", 0), ("12", 12), ("\"12\"", 12), ("100:35", 99), ("\"100:35\"", 99), ("20:100:35", 20), ("200:100:35", 99),
            ("\"20::35\"", 20), ("0:5", 0), ("1000000042", 1_000_000_042),
            ("1000000042:1000000007", 1_000_000_041), ("999999999:7", 999_999_998),
        ] as [(String, Int64)])
    func readsSince(text: String, value: Int64) {
        #expect(SinceParser.parse(text, origin: .newOrigin)?.settled.value == value)
    }

    @Test(
        "What is no sequence is none",
        arguments: ["x", "-1", "1:", ":1", "1:2:3:4", "1.5", "[1]", "{}", "1::", "99999999999999999999", "\""])
    func refusesSince(text: String) {
        #expect(SinceParser.parse(text, origin: .newOrigin) == nil)
    }

    private static func ids(_ texts: [String]) -> [RevisionID] { texts.compactMap { RevisionID($0) } }

    @Test("A history ends at what is known and at the limit, the known one in the last one's place")
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
    func fillsGaps() {
        let history = Self.ids(["5-aa", "2-aa", "1-aa"])
        let filled = "4-faded0000000000000000004,3-faded0000000000000000003,2-aa,1-aa"
        #expect(ModernHistory.property(history, known: [], limit: 50) == filled)
        let distant = Self.ids(["9007199254740991-aa", "1-aa"])
        #expect(ModernHistory.property(distant, known: [], limit: 20)?.split(separator: ",").count == 19)
        #expect(filled.split(separator: ",").allSatisfy { RevisionID(String($0))?.isNative ?? false })
    }

    @Test(
        "Members go before an object's own, whose bytes stay",
        arguments: [
            ("{}", #"{"a":1}"#), (#"{"b":2}"#, #"{"a":1,"b":2}"#), (" { \n } ", "{\"a\":1 \n } "),
            (#"{ "b" : 1e400 }"#, #"{"a":1, "b" : 1e400 }"#),
        ])
    func addsMembers(object: String, result: String) {
        #expect(JSONObject.adding(Array(#""a":1"#.utf8), to: Array(object.utf8)) == Array(result.utf8))
    }

    @Test("An answer to changes is read: wanted, with ancestors, not wanted, missing")
    func readsAnswers() throws {
        let reply = BLIPMessage.reply(to: 1, properties: ["maxHistory": "20"], body: Array(#"[[],0,["1-aa","bad",3],null,409]"#.utf8))
        let answer = try ChangesAnswer(reply, rows: 7)
        #expect(answer.maxHistory == 20)
        #expect(answer.wanted == [[], nil, Self.ids(["1-aa"]).map { .tree($0) }, nil, nil])
        #expect(throws: BLIPRequestError.self) { try ChangesAnswer(reply, rows: 4) }
        #expect(try ChangesAnswer(.reply(to: 1), rows: 4).wanted.isEmpty)
        let greedy = BLIPMessage.reply(to: 1, properties: ["maxHistory": "9999999999"], body: Array("[]".utf8))
        #expect(try ChangesAnswer(greedy, rows: 4).maxHistory == ModernHistory.longestLimit)
    }

    @Test(
        "Compression is asked for where it helps",
        arguments: [
            ("a.txt", "text/plain", nil, true), ("a", nil, nil, true), ("a.jpg", nil, nil, false), ("a", "image/png", nil, false),
            ("a", "image/svg+xml", nil, true), ("a", "application/zip", nil, false), ("a", "text/plain", "gzip", false),
            ("A.ZIP", "text/plain", nil, false),
        ] as [(String, String?, String?, Bool)])
    func hints(name: String, type: String?, encoding: String?, worthwhile: Bool) {
        #expect(CompressionHint.isWorthwhile(AttachmentMetadata(name: name, contentType: type, encoding: encoding)) == worthwhile)
    }

    @Test("A permit lasts until the last revision that needs it is answered")
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

    @Test("An inbox hands out what came, in order, in batches of bounded size")
    func batches() {
        var inbox = RevisionInbox()
        var limits = SessionLimits()
        limits.revisionsInTransaction = 3
        limits.bytesInTransaction = 100
        for number in 1...10 {
            let write = RevisionWrite(id: "a", kind: .edit(parent: nil), isDeleted: false, body: [])
            inbox.append(IncomingRevision(number: UInt64(number), write: write, size: number == 5 ? 100 : 1))
        }
        var batches: [[UInt64]] = []
        while !inbox.isEmpty { batches.append(inbox.takeBatch(limits).map(\.number)) }
        #expect(batches == [[1, 2, 3], [4, 5], [6, 7, 8], [9, 10]])
        #expect(inbox.takeBatch(limits).isEmpty)
    }

    @Test("The proof of an attachment is the protocol's")
    func proves() throws {
        #expect(AttachmentProof().nonce.count == 20)
        #expect(AttachmentProof().nonce != AttachmentProof().nonce)
        for count in [0, 256] {
            #expect(throws: BLIPRequestError.self) { try AttachmentProof(nonce: Array(repeating: 0, count: count)) }
        }
    }
}
