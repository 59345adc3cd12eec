import BLIP
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernProtocol
@testable import ModernServer

@Suite("Values of the 2.x+ listener")
struct ValueTests {
    @Test(
        "A pull begins at this database's sequences; those of other servers, which are unknown here, are the beginning of the feed",
        arguments: [
            ("", 0), ("null", 0), ("12", 0), ("\"12\"", 0), ("100:35", 0), ("20:100:35", 0), ("\"20::35\"", 0), ("999999999:7", 0),
            ("1000000001", 1_000_000_001), ("\"1000000002\"", 1_000_000_002), ("1000000002:1000000001", 1_000_000_001),
            ("7:1000000001", 1_000_000_001), ("1000000003", 0),
        ] as [(String, Int64)])
    func readsSince(text: String, value: Int64) async throws {
        let bridge = try await TestBridge()
        for id in ["a", "b"] { try await bridge.put(id, "1-aa", "{}") }
        let sequence = try #require(ClientSequence(text))
        #expect(try await sequence.position(in: bridge.database.unified).settled.value == value)
    }

    @Test(
        "A malformed sequence is refused",
        arguments: ["x", "-1", "1:", ":1", "1:2:3:4", "1.5", "[1]", "{}", "1::", "99999999999999999999", "\""])
    func refusesSince(text: String) {
        #expect(ClientSequence(text) == nil)
    }

    @Test("A reply to changes has wanted revisions, ancestors, unwanted and missing rows")
    func readsAnswers() throws {
        let reply = BLIPMessage.reply(to: 1, properties: ["maxHistory": "20"], body: Array(#"[[],0,["1-aa","bad",3],null,409]"#.utf8))
        let answer = try ChangesAnswer(reply, rows: 7)
        #expect(answer.maxHistory == 20)
        #expect(answer.wanted == [[], nil, [.tree(try #require(RevisionID("1-aa")))], nil, nil])
        #expect(throws: BLIPRequestError.self) { try ChangesAnswer(reply, rows: 4) }
        #expect(try ChangesAnswer(.reply(to: 1), rows: 4).wanted.isEmpty)
        let greedy = BLIPMessage.reply(to: 1, properties: ["maxHistory": "9999999999"], body: Array("[]".utf8))
        #expect(try ChangesAnswer(greedy, rows: 4).maxHistory == ModernHistory.longestLimit)
    }

    @Test("An inbox returns its revisions in order, in batches of limited size")
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
}
