import BLIP
import Gateway
import ModernTestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

/// Messages alternate frame by frame, so a long changes message is complete only after the short caught-up marker that was sent behind it.
@Suite("Changes messages of several frames", .timeLimit(.minutes(2)))
struct LongChangesTests {
    private static let count = 900

    private static func id(_ number: Int) -> String { "document-with-a-name-of-some-length-\(number)" }

    /// In one commit: thousands of commits take minutes on a slow disk.
    private static func fill(_ keyspace: Keyspace, _ count: Int) async throws {
        let writes = (0..<count).map { RevisionWrite(id: id($0), kind: .edit(parent: nil), isDeleted: false, body: Array("{}".utf8)) }
        for result in try await keyspace.write(writes) { _ = try result.get() }
    }

    @Test("A pull that ends waits for rows that had begun to arrive before the server's caught-up marker")
    func overtakenByServer() async throws {
        let pair = try await ReplicationPair()
        var configuration = ReplicatorConfiguration(
            target: MessageEndpoint(uid: "there") {
                let (ours, theirs) = await SocketEnd.pair()
                // The reply to `subChanges`, the first frame of the rows, the end, and a request whose reply has the other frames sent.
                let server = ScriptedServer(theirs, framesAtOnce: 4, answer: Self.answer)
                Task { await server.run() }
                return ours
            })
        configuration.replicatorType = .pull
        configuration.maxAttempts = 1
        configuration.addCollection(pair.here)
        let replicator = try pair.replicator(configuration)
        await replicator.start()
        #expect(await replicator.waitUntilStopped().error == nil)
        #expect(try await pair.here.state().count == 1)
    }

    /// A server with many documents, of which the client has received the first one.
    @Sendable private static func answer(_ message: BLIPMessage) -> [BLIPMessage] {
        if message.profile == "subChanges" {
            let rows = (0..<count).map { "[\($0 + 1),\"\(id($0))\",\"1-\(String(repeating: "a", count: 40))\"]" }
            return [
                .reply(to: message.number), .request("changes", body: Array("[\(rows.joined(separator: ","))]".utf8)),
                .request("changes", body: Array("null".utf8), noReply: true), .request("question"),
            ]
        }
        guard message.type == .reply, message.body.first == UInt8(ascii: "[") else { return ScriptedServerTests.obliging(message) }
        return (0..<count).map { number in
            let properties: BLIPProperties = [
                "id": id(number), "rev": "1-\(String(repeating: "a", count: 40))", "sequence": "\(number + 1)",
            ]
            guard number > 0 else { return .request("rev", properties: properties, body: Array("{}".utf8), noReply: true) }
            return .request("norev", properties: properties, noReply: true)
        }
    }

    @Test("A client gets the caught-up marker after it has replied to the rows", arguments: [Subprotocol.v2, .v3])
    func overtakenByListener(subprotocol: Subprotocol) async throws {
        let bridge = try await TestBridge()
        try await Self.fill(bridge.database.unified, Self.count)
        try await bridge.connect(subprotocol) { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", ["batch": "\(Self.count)"])
            try await peer.wait { !$0.changes.isEmpty }
            // Messages that were sent before arrive before the reply to this request.
            try await peer.ask("getCheckpoint", ["client": "x"])
            #expect(await peer.caughtUp == 0)
            let request = try #require(await peer.requests.first { $0.profile == "changes" })
            try await peer.answerChanges(request.number, "[]")
            try await peer.wait { $0.caughtUp == 1 }
        }
    }

    @Test("A pull of a user's documents has them all, however slowly frames are sent", arguments: [1, 2, 5])
    func everything(times: Int) async throws {
        let pair = try await ReplicationPair()
        try await Self.fill(pair.there, Self.count * times)
        let (status, documents) = try await pair.run(pair.configuration(.pull))
        #expect(status.error == nil && documents.count == Self.count * times)
    }
}
