import BLIP
import Documents
import Foundation
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Pushing to the listener", .timeLimit(.minutes(5)))
struct PushTests {
    @Test("A new revision is stored unchanged and gets an empty reply")
    func pushesOne() async throws {
        let bridge = try await TestBridge()
        let id = Requests.revision(1, 1)
        try await bridge.connect { peer in
            let proposal = try await peer.ask("proposeChanges", ["conflictIncludesRev": "true"], "[[\"a\",\"\(id)\",\"\",20]]")
            #expect(proposal.body == Array("[]".utf8))
            let reply = try await peer.ask(Requests.rev("a", id, #"{"n":1.0,"big":12345678901234567890}"#))
            #expect(reply.type == .reply && reply.body.isEmpty)
        }
        let content = try await bridge.database.unified.revision(.current, of: "a")
        #expect(String(decoding: content.body.properties, as: UTF8.self) == #"{"n":1.0,"big":12345678901234567890}"#)
        #expect(content.revision.text == id)
    }

    @Test("Replies to proposals are wanted, known, conflict with and without the revision, or malformed, without zeros at the end")
    func answersProposals() async throws {
        let bridge = try await TestBridge()
        let one = Requests.revision(1, 1), two = Requests.revision(2, 2), other = Requests.revision(2, 3)
        try await bridge.connect { peer in
            _ = try await peer.ask(Requests.rev("a", one, "{}"))
            _ = try await peer.ask(Requests.rev("a", two, "{}", history: one))
            let rows =
                "[[\"new\",\"\(one)\"],[\"a\",\"\(two)\",\"\(one)\"],[\"a\",\"\(other)\",\"\(one)\",9],[\"x\",\"bad\",\"\"],[\"z\",\"\(one)\",\"\"]]"
            let full = try await peer.ask("proposeChanges", ["conflictIncludesRev": "true"], rows)
            #expect(String(decoding: full.body, as: UTF8.self) == "[0,304,{\"status\":409,\"rev\":\"\(two)\"},400]")
            let plain = try await peer.ask("proposeChanges", [:], rows)
            #expect(String(decoding: plain.body, as: UTF8.self) == "[0,304,409,400]")
        }
    }

    @Test("An empty proposal without a wanted reply is accepted")
    func toleratesNothing() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.send(.request("proposeChanges", body: Array("[]".utf8), isUrgent: true, noReply: true))
            let next = try await peer.ask("getCheckpoint", ["client": "cp"])
            #expect(next.errorCode == 404)
        }
    }

    @Test("A revision that is not a child of the winner is refused with 409")
    func refusesConflicts() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            _ = try await peer.ask(Requests.rev("a", Requests.revision(1, 1), "{}"))
            let reply = try await peer.ask(Requests.rev("a", Requests.revision(1, 2), "{}"))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 409)
        }
    }

    @Test("A tombstone deletes a document, and a deleted document can be created again")
    func deletes() async throws {
        let bridge = try await TestBridge()
        let one = Requests.revision(1, 1), two = Requests.revision(2, 2)
        try await bridge.connect { peer in
            _ = try await peer.ask(Requests.rev("a", one, "{}"))
            let answer1 = try await peer.ask(Requests.rev("a", two, "{}", history: one, deleted: true))
            #expect(answer1.type == .reply)
            let proposal = try await peer.ask("proposeChanges", [:], "[[\"a\",\"\(Requests.revision(1, 9))\",\"\",1]]")
            #expect(proposal.body == Array("[]".utf8))
            let answer2 = try await peer.ask(Requests.rev("a", Requests.revision(1, 9), "{\"again\":1}"))
            #expect(answer2.type == .reply)
        }
    }

    @Test("Revisions that arrive together get one reply each")
    func answersEach() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            var requests = (0..<500).map { Requests.rev("doc\($0)", Requests.revision(1, $0), "{\"n\":\($0)}") }
            requests[100] = Requests.rev("doc100", "1-", "{}")
            requests[200] = Requests.rev("doc200", Requests.revision(1, 1), "{\"_rev\":\"1-a\"}")
            requests[300] = Requests.rev("doc300", Requests.revision(1, 1), "{")
            requests[400] = Requests.rev("_doc", Requests.revision(1, 1), "{}")
            let codes = try await peer.ask(all: requests).map { $0.errorCode ?? 0 }
            #expect(codes.enumerated().filter { $0.element != 0 }.map(\.offset) == [100, 200, 300, 400] as [Int])
            #expect(codes.filter { $0 != 0 } == [400, 404, 400, 400] as [Int])
        }
    }

    @Test(
        "Invalid revisions are refused in the domain HTTP",
        arguments: [
            ("id", "", 400), ("rev", "", 400), ("deltaSrc", "1-abcd", 400), ("history", "2-abcd", 400), ("history", "x", 400),
        ])
    func refuses(key: String, value: String, code: Int) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            var properties: BLIPProperties = ["id": "a", "rev": "2-abcd", "sequence": "1"]
            properties[key] = value
            let reply = try await peer.ask(.request("rev", properties: properties, body: Array("{}".utf8)))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == code)
        }
    }

    @Test("Reserved properties are refused with 404", arguments: ["_id", "_rev", "_deleted", "_revisions", "_sync"])
    func refusesReserved(name: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask(Requests.rev("a", "1-abcd", "{\"\(name)\":true}"))
            #expect(reply.errorCode == 404)
        }
    }

    @Test("changes from a client is refused with 409, unless it is empty")
    func refusesChanges() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let refused = try await peer.ask("changes", [:], "[[1,\"a\",\"1-abcd\"]]")
            #expect(refused.errorDomain == "HTTP" && refused.errorCode == 409)
            let answer3 = try await peer.ask("changes", [:], "null")
            #expect(answer3.type == .reply)
        }
    }

    @Test("A foreign revision is extended under its alias")
    func extendsForeign() async throws {
        let bridge = try await TestBridge()
        let foreign = try #require(RevisionID("1-abc"))
        _ = try await bridge.database.unified.write(
            RevisionWrite(id: "a", kind: .replicated(history: [foreign], conflicts: .branch), isDeleted: false, body: Array("{}".utf8)))
        try await bridge.connect { peer in
            let alias = foreign.modernAlias.text
            let rows = "[[\"a\",\"2-abcd\",\"\(alias)\",9]]"
            let answer4 = try await peer.ask("proposeChanges", [:], rows)
            #expect(answer4.body == Array("[]".utf8))
            let answer5 = try await peer.ask(Requests.rev("a", "2-abcd", "{}", history: alias))
            #expect(answer5.type == .reply)
        }
        let content = try await bridge.database.unified.revision(.current, of: "a")
        #expect(content.history.map(\.text) == ["2-abcd", "1-abc"])
    }

    @Test("A failing store refuses a revision with 503, so that the client retries")
    func saysUnavailable() async throws {
        struct DiskFull: Error {}
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            bridge.store.fail(with: DiskFull())
            let refused = try await peer.ask(Requests.rev("a", "1-abcd", "{}"))
            #expect(refused.errorCode == 503)
            let answer6 = try await peer.ask("proposeChanges", [:], "[[\"a\",\"1-abcd\",\"\",1]]")
            #expect(answer6.errorCode == 503)
            let answer7 = try await peer.ask("getCheckpoint", ["client": "x"])
            #expect(answer7.errorCode == 503)
            bridge.store.fail(with: nil)
            let answer8 = try await peer.ask(Requests.rev("a", "1-abcd", "{}"))
            #expect(answer8.type == .reply)
        }
    }
}
