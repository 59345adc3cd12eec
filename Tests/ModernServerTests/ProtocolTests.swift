import Access
import BLIP
import ModernProtocol
import ModernServer
import ModernTestSupport
import Testing

@Suite("Violations of the protocol", .timeLimit(.minutes(5)))
struct ProtocolTests {
    /// Frames that end a connection with an error code. The first frame is valid.
    private static func frames(_ fault: String) throws -> [[UInt8]] {
        let connection = BLIPConnection(compression: .off)
        _ = try connection.send(request: .request("getCheckpoint", properties: ["client": "x"]))
        var frame = connection.nextFrame() ?? []
        switch fault {
        case "checksum": frame[frame.count - 1] ^= 1
        case "number": frame[0] = 9
        case "reply": frame[1] = 1
        case "cut": frame = Array(frame[..<3])
        case "empty": frame = []
        case "properties": frame = [1, 0, 0xFF, 0xFF, 0xFF, 0x7F] + frame
        case "size": frame = Array(repeating: 0, count: (1 << 20) + 1)
        default: frame[1] |= 8
        }
        return [frame]
    }

    @Test(
        "A malformed frame closes with 1011 and one that is too large with 1009; never with 1000 or 1001",
        arguments: [
            "checksum", "number", "reply", "cut", "empty", "properties", "size", "deflate",
        ])
    func closes(fault: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.ask("getCheckpoint", ["client": "x"])
        }
        let (ours, theirs) = await SocketEnd.pair()
        async let session: Void = bridge.listener.serve(ours, database: bridge.database, principal: .administrator, subprotocol: .v3)
        try await theirs.send(Self.frames(fault))
        while try await theirs.receive() != nil {}
        await session
        #expect(await theirs.closeCode == (fault == "size" ? 1009 : 1011))
    }

    @Test(
        "An unknown profile gets BLIP 404, and the connection continues",
        arguments: ["getRev", "putRev", "function", "", "ping", "Changes"])
    func refusesUnknown(profile: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask(profile)
            #expect(reply.errorDomain == "BLIP" && reply.errorCode == 404)
            let next = try await peer.ask("getCheckpoint", ["client": "x"])
            #expect(next.errorCode == 404)
        }
    }

    @Test("PING gets an empty reply, before and after the client has named collections")
    func ping() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            for _ in 0..<2 {
                let reply = try await peer.ask("PING")
                #expect(reply.type == .reply && reply.body.isEmpty && reply.properties.isEmpty)
                try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            }
        }
    }

    @Test("Malformed bodies are refused with 400", arguments: ["", "{", "{}", "[[1]]", "[[\"a\"]]", "[\"a\"]", "[[\"a\",\"1-aaaa\"]"])
    func refusesMalformed(body: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask("proposeChanges", [:], body)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400)
        }
    }

    @Test("A cancelled session drops the connection, so that the client reconnects")
    func dropsWhenCancelled() async throws {
        let bridge = try await TestBridge()
        let (ours, theirs) = await SocketEnd.pair()
        let session = Task { await bridge.listener.serve(ours, database: bridge.database, principal: .administrator, subprotocol: .v3) }
        let peer = TestPeer(theirs)
        async let reading: Void = peer.run()
        try await peer.ask("subChanges", ["continuous": "true"])
        session.cancel()
        await session.value
        await reading
        #expect(await theirs.closeCode == nil)
    }

    @Test(
        "The subprotocol is the first of the client's that the listener supports",
        arguments: [
            (["BLIP_3+CBMobile_3,BLIP_3+CBMobile_2"], .v3), (["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3"], .v2),
            (["BLIP_3+CBMobile_4, BLIP_3+CBMobile_3"], .v4), (["BLIP_3+CBMobile_4"], .v4),
            (["BLIP_3+CBMobile_5"], nil), ([], nil), (["", " , "], nil),
        ] as [([String], Subprotocol?)])
    func chooses(offer: [String], choice: Subprotocol?) {
        #expect(ModernListener.choose(from: offer) == choice)
        #expect(ModernListener.refusal == "I only speak BLIP_3+CBMobile_4,BLIP_3+CBMobile_3,BLIP_3+CBMobile_2 protocols")
    }
}
