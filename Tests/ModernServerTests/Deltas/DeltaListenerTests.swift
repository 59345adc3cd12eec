import BLIP
import Documents
import Gateway
import ModernProtocol
import ModernTestSupport
import Storage
import Testing

@Suite("Delta sync of the listener", .timeLimit(.minutes(2)))
struct DeltaListenerTests {
    private static let one = Requests.revision(1, 1), two = Requests.revision(2, 2)

    private func delta(_ id: String, _ revision: String, _ source: String, _ body: String, deleted: Bool = false) -> BLIPMessage {
        var properties: BLIPProperties = ["id": id, "rev": revision, "sequence": "2", "noconflicts": "1", "deltaSrc": source]
        properties.add("history", source)
        if deleted { properties.add("deleted", "1") }
        return .request("rev", properties: properties, body: Array(body.utf8), isCompressed: true)
    }

    private func body(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"\(String(repeating: "x", count: 500))\"}"
    }

    private func winner(_ bridge: TestBridge, _ id: String = "doc") async throws -> String? {
        try await bridge.database.unified.read { snapshot in
            try snapshot.document(id).flatMap { try $0.content(of: $0.winner) }.map { String(decoding: $0.body.properties, as: UTF8.self) }
        }
    }

    @Test("A pushed delta is applied, and an invalid one is refused with 422 and accepted as a whole revision")
    func pushed() async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        try await bridge.connect { peer in
            let proposal = try await peer.ask("proposeChanges", [:], "[[\"doc\",\"\(Self.one)\",\"\",9]]")
            #expect(proposal.properties["deltas"] == "true")
            try await peer.ask(Requests.rev("doc", Self.one, #"{"n":1.0,"keep":1.50}"#))
            let refused: [(source: String, body: String)] = [
                (Requests.revision(1, 9), #"{"n":2}"#), ("nonsense", #"{"n":2}"#), (Self.one, "{"), (Self.one, #"{"m":[]}"#),
                (Self.one, #"{"n":["1=",0,2]}"#), ("", #"{"n":2}"#),
            ]
            for (source, body) in refused {
                let reply = try await peer.ask(delta("doc", Self.two, source, body))
                #expect(reply.type == .error && reply.errorDomain == "HTTP" && reply.errorCode == 422, "\(source) \(body)")
            }
            let reserved = try await peer.ask(delta("doc", Self.two, Self.one, #"{"_id":"other"}"#))
            #expect(reserved.errorCode == 404)
            #expect(try await winner(bridge) == #"{"n":1.0,"keep":1.50}"#)
            #expect(try await peer.ask(delta("doc", Self.two, Self.one, #"{"n":2,"m":[[3.00]]}"#)).type == .reply)
            #expect(try await winner(bridge) == #"{"n":2,"keep":1.50,"m":[3.00]}"#)
        }
        let statistics = bridge.deltas.current
        // Two of them name no revision.
        #expect(statistics.received == 1 && statistics.refused == 4)
    }

    @Test("A tombstone is sent as a whole body, and is no base of a delta")
    func tombstones() async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        try await bridge.connect { peer in
            try await peer.ask(Requests.rev("doc", Self.one, #"{"n":1}"#))
            #expect(try await peer.ask(delta("doc", Self.two, Self.one, "{}", deleted: true)).type == .reply)
            #expect(try await winner(bridge) == "{}")
            #expect(try await peer.ask(delta("doc", Requests.revision(3, 3), Self.two, #"{"n":2}"#)).errorCode == 422)
        }
    }

    @Test("Without deltaSync no deltas are offered, and deltas are refused as in Sync Gateway")
    func off() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let proposal = try await peer.ask("proposeChanges", [:], "[[\"doc\",\"\(Self.one)\",\"\",9]]")
            #expect(proposal.properties["deltas"] == nil)
            try await peer.ask(Requests.rev("doc", Self.one, #"{"n":1}"#))
            #expect(try await peer.ask(delta("doc", Self.two, Self.one, #"{"n":2}"#)).errorCode == 400)
        }
    }

    @Test("A revision is pulled as a delta if the client accepts it, and as a whole otherwise", arguments: [false, true])
    func pulled(_ refuses: Bool) async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        let first = try await put(bridge, 1, nil), second = try await put(bridge, 2, first)
        try await bridge.connect { peer in
            await peer.configure {
                $0.known["/doc"] = [first.text]
                $0.refusesDeltas = refuses
            }
            try await peer.ask("subChanges")
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count >= (refuses ? 2 : 1) }
            let revisions = await peer.revisions
            #expect(revisions[0].revision == second.text)
            #expect(revisions[0].properties["deltaSrc"] == first.text)
            #expect(revisions[0].text == #"{"n":2}"#)
            #expect(!revisions[0].noReply)
            if refuses {
                #expect(revisions[1].properties["deltaSrc"] == nil)
                #expect(revisions[1].properties["sequence"] == revisions[0].properties["sequence"])
                #expect(revisions[1].text == body(2))
            }
        }
        #expect(bridge.deltas.current.sent == 1 && bridge.deltas.current.sentInVain == (refuses ? 1 : 0))
        #expect(bridge.deltas.current.sentBytesSaved == UInt64(body(2).utf8.count - 7))
    }

    @Test("A revision with changed attachments is sent as a whole, because LiteCore refuses some such deltas", arguments: [false, true])
    func attachments(isLast: Bool) async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        let bytes = Array("one".utf8)
        let photo = AttachmentMetadata(name: "photo", digest: .sha1(of: bytes), length: 3, revpos: 1, contentType: "text/plain")
        let first = try await bridge.database.unified.write(
            RevisionWrite(
                id: "doc", kind: .edit(parent: nil), isDeleted: false, body: Array(body(1).utf8), attachments: AttachmentSet([photo]),
                attachmentBytes: [.sha1(of: bytes): bytes])
        ).revision
        if isLast {
            _ = try await put(bridge, 2, first)
        } else {
            var other = photo
            other.revpos = 2
            other.digest = .sha1(of: Array("two".utf8))
            _ = try await bridge.database.unified.write(
                RevisionWrite(
                    id: "doc", kind: .edit(parent: first), isDeleted: false, body: Array(body(2).utf8), attachments: AttachmentSet([other]),
                    attachmentBytes: [.sha1(of: Array("two".utf8)): Array("two".utf8)]))
        }
        try await bridge.connect { peer in
            await peer.configure { $0.known["/doc"] = [first.text] }
            try await peer.ask("subChanges")
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
            let revision = try #require(await peer.revisions.first)
            #expect(revision.properties["deltaSrc"] == nil && revision.text.contains(#""n":2"#))
        }
    }

    @Test("A delta does not build on a revision that the client may be about to replace by an earlier message", arguments: [false, true])
    func inFlight(isStored: Bool) async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        let first = try await put(bridge, 1, nil), second = try await put(bridge, 2, first)
        try await bridge.connect { peer in
            await peer.configure { $0.known["/doc"] = [first.text] }
            try await peer.ask("subChanges", ["continuous": "true"])
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
            // The client replies before or after it has stored the second revision.
            await peer.configure { $0.known["/doc"] = [isStored ? second.text : first.text] }
            _ = try await put(bridge, 3, second)
            try await peer.wait { $0.revisions.count == 2 }
            #expect(await peer.revisions[0].properties["deltaSrc"] == first.text)
            #expect(await peer.revisions[1].properties["deltaSrc"] == (isStored ? second.text : nil))
        }
    }

    @Test("A client that has another revision, a tombstone or nothing gets the whole revision")
    func noBase() async throws {
        let bridge = try await TestBridge { $0.deltaSync = true }
        let first = try await put(bridge, 1, nil)
        let deleted = try await bridge.database.unified.write(
            RevisionWrite(id: "doc", kind: .edit(parent: first), isDeleted: true, body: Array("{}".utf8))
        ).revision
        _ = try await put(bridge, 3, deleted)
        for known in [[], [Requests.revision(1, 77)], [deleted.text]] {
            try await bridge.connect { peer in
                await peer.configure { $0.known["/doc"] = known }
                try await peer.ask("subChanges")
                try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 1 }
                #expect(await peer.revisions[0].properties["deltaSrc"] == nil)
                #expect(await peer.revisions[0].text == body(3))
            }
        }
    }

    private func put(_ bridge: TestBridge, _ number: Int, _ parent: RevisionID?) async throws -> RevisionID {
        try await bridge.database.unified.write(
            RevisionWrite(id: "doc", kind: .edit(parent: parent), isDeleted: false, body: Array(body(number).utf8))
        ).revision
    }
}
