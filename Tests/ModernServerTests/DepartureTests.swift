import Access
import BLIP
import Documents
import Gateway
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernProtocol
@testable import ModernServer

/// A client purges a document when it reads the row that removes it, so no revision of the document may be sent after that row.
@Suite("Removal of documents whose revisions are in transit", .timeLimit(.minutes(5)))
struct DepartureTests {
    private static func makeBridge() async throws -> TestBridge {
        let bridge = try await TestBridge()
        var change = AccountChange()
        change.channels = ["c"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        try await bridge.store.write { try $0.recordReader() }
        return bridge
    }

    private static func write(_ bridge: TestBridge, _ id: String, _ history: [String], _ body: String) async throws {
        _ = try await bridge.database.unified.write(
            RevisionWrite(
                id: id, kind: .replicated(history: history.compactMap { RevisionID($0) }, conflicts: .branch), isDeleted: false,
                body: Array(body.utf8)))
    }

    /// Removes a document, and waits until a client that sees everything has received the removal and many later rows.
    private static func remove(_ id: String, from bridge: TestBridge) async throws {
        try await bridge.connect { watcher in
            try await watcher.ask("subChanges", ["continuous": "true"])
            try await watcher.wait { $0.caughtUp == 1 }
            try await write(bridge, id, ["2-aaaa", "1-aaaa"], #"{"channels":["x"]}"#)
            for number in 0..<20 { try await write(bridge, "later\(number)", ["1-aaaa"], #"{"channels":["x"]}"#) }
            try await watcher.wait { $0.revisions.contains { $0.id == "later19" } }
        }
    }

    /// Whether a row removes a document.
    private static func isGone(_ id: String, _ peer: isolated TestPeer) -> Bool {
        peer.changes.flatMap(\.rows).contains { $0[1].string == id && $0.count > 3 && $0[3].int == 4 }
    }

    /// The `rev` messages and rows of one document, in order.
    private static func told(of id: String, _ peer: isolated TestPeer) -> [String] {
        peer.requests.flatMap { request -> [String] in
            switch request.profile {
            case "rev": request.properties["id"] == id ? ["rev"] : []
            case "changes":
                (try? JSONValue(request.body))?.array?.compactMap(\.array).filter { $0[1].string == id }
                    .map { $0.count > 3 ? "row \($0[3].int ?? 0)" : "row" } ?? []
            default: []
            }
        }
    }

    @Test("A removal is sent after the revision of an earlier row has been sent completely, however late the client asks for it")
    func followsTheRevision() async throws {
        let bridge = try await Self.makeBridge()
        var random = SeededGenerator(seed: 1)
        let text = (0..<50_000).map { _ in String(random.next(), radix: 16) }.joined()
        try await Self.write(bridge, "doc", ["1-aaaa"], #"{"channels":["c"],"text":"\#(text)"}"#)
        try await bridge.connect(as: .user("anna")) { peer in
            await peer.configure { $0.answersChanges = false }
            try await peer.ask("subChanges", ["continuous": "true", "revocations": "true"])
            try await peer.wait { !$0.changes.isEmpty }
            try await Self.remove("doc", from: bridge)
            await peer.configure { $0.answersChanges = true }
            let number = try #require(await peer.requests.first { $0.profile == "changes" }?.number)
            try await peer.answerChanges(number, "[[]]")
            try await peer.wait { Self.isGone("doc", $0) }
            try await peer.wait { $0.revisions.count == 1 }
            #expect(await Self.told(of: "doc", peer) == ["row", "rev", "row 4"])
        }
    }

    @Test(
        "A removal is sent after the client has stored an earlier revision with its attachments, also one of an ended pull",
        arguments: [Subprotocol.v2, .v3], [false, true])
    func followsTheAttachments(_ subprotocol: Subprotocol, beginsAnew: Bool) async throws {
        let bridge = try await Self.makeBridge()
        try await bridge.connect { peer in
            let body = #"{"channels":["c"],"_attachments":{"a":{"data":"aGVsbG8gd29ybGQ="}}}"#
            let reply = try await peer.ask(Requests.rev("doc", "1-aaaa", body))
            #expect(reply.type == .reply)
        }
        try await bridge.connect(subprotocol, as: .user("anna")) { peer in
            await peer.configure { $0.answersRevisions = false }
            try await peer.ask("subChanges", ["continuous": "true", "revocations": "true"])
            try await peer.wait { $0.revisions.count == 1 }
            if beginsAnew {
                let since = try #require(await peer.revisions[0].properties["sequence"])
                try await peer.ask("unsubChanges")
                try await peer.ask("subChanges", ["continuous": "true", "revocations": "true", "since": since])
            }
            try await Self.remove("doc", from: bridge)
            #expect(await Self.told(of: "doc", peer) == ["row", "rev"])
            try await peer.answerRevision("doc")
            try await peer.wait { Self.told(of: "doc", $0).count > 2 }
        }
    }

    @Test("A document that comes and is removed within one batch of the feed has its rows in two messages")
    func dividesMessages() {
        var message = ChangesMessage(.v3, takesRevocations: true)
        let row = ChangeRow(sequence: SequenceNumber(5), id: "doc", revision: "1-aaaa", isDeleted: false, bodySize: 0)
        let departure = ChangeRow(
            sequence: SequenceNumber(6), id: "doc", revision: "2-aaaa", isDeleted: false, departure: .removed(["c"]), bodySize: 0)
        #expect(!message.announces(departureOf: departure))
        message.append(row)
        #expect(!message.announces(departureOf: row))
        #expect(message.announces(departureOf: departure))
    }
}
