import BLIP
import Documents
import Testing

@Suite("Protocol 4 on the shared port")
struct VersionSocketTests {
    /// LiteCore 4.1.0's frames of a push of two new documents: getCollections, proposeChanges, and two `rev`, of one deflate stream.
    private static let frames = [
        "01004150726f66696c6500676574436f6c6c656374696f6e7300757569640061306237336134612d333965652d346264392d626233322d3362626234"
            + "62666131306532007b22636865636b706f696e745f696473223a5b2263702d7279716d494b4131514f333361376d49332f6167546145627261773d22"
            + "5d2c22636f6c6c656374696f6e73223a5b225f64656661756c74225d7d7d681394",
        "021884cb3d0bc2301485e1fc96cc011b95361d04c149505033960e7273d3a6a4b9251ffe7e33ba79b617ce737a44b2ce23db226d94f032bfc3848901"
            + "798f901d05d6d408d63bc8d700be184c2ffcb01c0bb261e060b9e052616fa5690f06655377a61bb47a0945f76b775f4aa777f43c4ef5c9851a4555eb"
            + "af42b5ffafc62f0098a61f4b",
        "03084a8139b508683d8afb32531892d3c0c2443a84a138b5b034352f3995c190212f1fe6bd6220af5a294fc9cab0160029527dba",
        "0408c26f572eaa5df89d8fb0cb08bb5d00005c0eaa87",
    ]

    private static let version = "1@AAAAAAAAAAAAAAAAAAAAAA"

    @Test("The recorded frames of LiteCore 4.1.0 push documents, which 1.x clients can read")
    func recorded() async throws {
        try await RunningBridge.run { bridge in
            let socket = try await RawWebSocket.open(bridge, "BLIP_3+CBMobile_4")
            for frame in Self.frames {
                try await socket.send(Self.bytes(frame))
                // Each is answered before the next one is sent, as by the client.
                let reply = try #require(try await socket.next())
                #expect(reply.payload[0] == Self.bytes(frame)[0] && reply.payload[1] & 7 == 1)
            }
            for id in ["cf", "cm"] {
                let document = try await bridge.ask("GET", "/shop/\(id)")
                #expect(document.status == 200 && document.text.contains(#""_rev":"1-"#) && document.text.contains(#""n":1"#))
                #expect(!document.text.contains("@"))
            }
            try await bridge.expectSound(after: "a push by protocol 4")
        }
    }

    @Test("Each malformed version is refused, and the connection goes on")
    func malformed() async throws {
        try await RunningBridge.run { bridge in
            let client = try await RawBLIP(bridge, "BLIP_3+CBMobile_4")
            _ = try await client.ask("getCollections", ["uuid": "no UUID"], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            let long = String(repeating: "\(Self.version),", count: 2000)
            for (rev, history) in [
                ("x", ""), ("1@", ""), ("0@AAAAAAAAAAAAAAAAAAAAAA", ""), ("\(Self.version)", "x"), ("\(Self.version)", long),
                ("\(Self.version)", ";;"), ("\(Self.version)", "2@AAAAAAAAAAAAAAAAAAAAAA"), ("1-", ""),
                ("\(Self.version); 1@BBBBBBBBBBBBBBBBBBBBBA", ""),
            ] {
                let properties: BLIPProperties = ["collection": "0", "id": "a", "rev": rev, "history": history, "sequence": "1"]
                let reply = try await client.ask("rev", properties, "{}")
                #expect(reply.type == .error && reply.errorCode == 400, "\(rev) \(history.prefix(30))")
            }
            let proposals = """
                [["a","x",""],["b","\(Self.version)","x"],["c","1-aa",""],["d","\(Self.version); 2@BBBBBBBBBBBBBBBBBBBBBA",""]]
                """
            let reply = try await client.ask("proposeChanges", ["collection": "0"], proposals)
            #expect(String(decoding: reply.body, as: UTF8.self) == "[400,400]")
            #expect(try await bridge.ask("GET", "/shop/a").status == 404)
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}
