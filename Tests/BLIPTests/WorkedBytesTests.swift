import Testing

@testable import BLIP

/// The frames of one connection in wire order, among them those of docs/protocol/modern-2x.md#worked-frames.
@Suite("Worked bytes")
struct WorkedBytesTests {
    private static let fromClient = [
        """
        01 00 24 50 72 6f 66 69 6c 65 00 67 65 74 43 68 65 63 6b 70 6f 69 6e 74 00 63 6c 69 65 6e 74 00
        63 70 2d 61 62 63 00 55 75 19 7f
        """,
        """
        02 00 53 50 72 6f 66 69 6c 65 00 73 75 62 43 68 61 6e 67 65 73 00 62 61 74 63 68 00 32 30 30 00
        76 65 72 73 69 6f 6e 69 6e 67 00 72 65 76 2d 74 72 65 65 73 00 61 63 74 69 76 65 4f 6e 6c 79 00
        74 72 75 65 00 72 65 76 6f 63 61 74 69 6f 6e 73 00 74 72 75 65 00 b0 78 16 11
        """,
        """
        01 09 52 cd 4d ac f0 c8 2c 2e c9 2f aa 64 30 35 60 48 ca c9 4f 2a 66 28 29 2a 4d 65 48 49 cd 29
        49 84 b2 a3 a3 63 75 a2 63 63 01 00 e3 41 ee d4
        """,
        """
        03 00 29 50 72 6f 66 69 6c 65 00 73 65 74 43 68 65 63 6b 70 6f 69 6e 74 00 63 6c 69 65 6e 74 00
        63 70 2d 61 62 63 00 72 65 76 00 00 7b 22 74 69 6d 65 22 3a 31 37 30 30 30 30 30 30 30 30 2c 22
        72 65 6d 6f 74 65 22 3a 32 7d 04 e8 bb 4f
        """,
    ].map { [UInt8](hex: $0) }

    private static let fromServer = [
        """
        01 02 21 45 72 72 6f 72 2d 44 6f 6d 61 69 6e 00 48 54 54 50 00 45 72 72 6f 72 2d 43 6f 64 65 00
        34 30 34 00 6d 69 73 73 69 6e 67 92 10 de bc
        """,
        "02 01 00 10 47 00 f4",
        """
        01 08 1c c9 31 0e 80 20 0c 00 40 de c2 0c 2a 7c c1 0f 38 b8 11 86 0a 45 31 a4 25 c2 e2 ef 25 ae
        77 d3 f6 70 ca 05 45 b8 80 4e 6c 62 65 ea 48 5d ef 6f 45 01 b5 96 1c a0 67 a6 f9 6e 4c c2 39 a3
        64 e4 60 a4 92 46 c3 11 a2 f4 ca d9 df ec 30 ab 31 2d 23 8d f7 1f 00 96 94 45 a6
        """,
        """
        02 28 f2 80 99 5c 94 5a c6 90 99 c2 00 d2 05 66 43 f4 31 14 a7 16 96 a6 e6 25 a7 32 18 12 b0 b3
        5a 29 5b c9 4a a9 4c a9 16 00 94 53 3e 4c
        """,
        "03 28 d2 23 cd ad 79 a5 39 39 00 00 48 d8 8c 65",
        "03 01 08 72 65 76 00 30 2d 31 00 d8 f5 16 38",
    ].map { [UInt8](hex: $0) }

    private let changes: BLIPProperties = ["Profile": "changes", "Content-Type": "application/json"]

    @Test("The client's frames decode")
    func decodeClient() throws {
        let server = BLIPConnection()
        server.inbound.awaitReply(to: 1, isStreamed: false)
        let messages = try Self.fromClient.map { try server.receive($0)?.message }
        #expect(messages[0] == message(.request, 1, ["Profile": "getCheckpoint", "client": "cp-abc"]))
        #expect(
            messages[1]
                == message(
                    .request, 2,
                    [
                        "Profile": "subChanges", "batch": "200", "versioning": "rev-trees", "activeOnly": "true",
                        "revocations": "true",
                    ]))
        #expect(
            messages[2]
                == message(
                    .reply, 1, ["maxHistory": "50", "blobs": "true", "deltas": "true"], "[[],[]]", isCompressed: true))
        #expect(
            messages[3]
                == message(
                    .request, 3, ["Profile": "setCheckpoint", "client": "cp-abc", "rev": ""],
                    #"{"time":1700000000,"remote":2}"#))
    }

    @Test("The server's frames decode")
    func decodeServer() throws {
        let client = BLIPConnection()
        for number: UInt64 in 1...3 {
            client.inbound.awaitReply(to: number, isStreamed: false)
        }
        let messages = try Self.fromServer.map { try client.receive($0)?.message }
        #expect(messages[0] == .error(to: 1, code: 404, message: "missing"))
        #expect(messages[1] == message(.reply, 2))
        #expect(
            messages[2]
                == message(
                    .request, 1, changes, #"[[1,"doc1","1-abcd"],[2,"doc2","2-ef01",1]]"#, isCompressed: true))
        let rev: BLIPProperties = [
            "Profile": "rev", "id": "doc1", "rev": "1-abcd", "sequence": "1", "Content-Type": "application/json",
        ]
        #expect(messages[3] == message(.request, 2, rev, #"{"k":"v"}"#, noReply: true, isCompressed: true))
        #expect(messages[4] == message(.request, 3, changes, "null", noReply: true, isCompressed: true))
        #expect(messages[5] == message(.reply, 3, ["rev": "0-1"]))
    }

    @Test("The uncompressed frames encode to the same bytes")
    func encode() throws {
        let client = BLIPConnection()
        let server = BLIPConnection()
        _ = try client.send(request: .request("getCheckpoint", properties: ["client": "cp-abc"]))
        let first = try #require(client.nextFrame())
        #expect(first == Self.fromClient[0])
        _ = try server.receive(first)
        #expect(try server.send(reply: .error(to: 1, code: 404, message: "missing")))
        #expect(server.nextFrame() == Self.fromServer[0])
        let properties: BLIPProperties = [
            "batch": "200", "versioning": "rev-trees", "activeOnly": "true", "revocations": "true",
        ]
        _ = try client.send(request: .request("subChanges", properties: properties))
        let second = try #require(client.nextFrame())
        #expect(second == Self.fromClient[1])
        _ = try server.receive(second)
        #expect(try server.send(reply: .reply(to: 2)))
        #expect(server.nextFrame() == Self.fromServer[1])
    }

    @Test("A message in two frames decodes")
    func twoFrames() throws {
        let connection = BLIPConnection()
        #expect(try connection.receive([UInt8](hex: "01 40 11 50 72 6f 66 69 6c 65 00 72 65 76 35 67 c1 cb")) == nil)
        let event = try connection.receive(
            [UInt8](hex: "01 00 00 69 64 00 64 00 78 78 78 78 78 78 78 78 78 78 ed 1e 7a d5"))
        #expect(event == .request(message(.request, 1, ["Profile": "rev", "id": "d"], "xxxxxxxxxx")))
    }

    @Test(
        "Acknowledgements are encoded and decoded",
        arguments: [
            ("03 34 80 80 04", Acknowledgement(number: 3, isReply: false, total: 65_536)),
            ("ac 02 35 cb 87 03", Acknowledgement(number: 300, isReply: true, total: 50_123)),
        ])
    func acknowledgements(hex: String, acknowledgement: Acknowledgement) throws {
        var bytes: [UInt8] = []
        acknowledgement.append(to: &bytes)
        #expect(bytes == [UInt8](hex: hex))
        let decoded = try bytes.withUnsafeBytes { frame in
            let header = try FrameHeader(frame)
            return try Acknowledgement(header, payload: UnsafeRawBufferPointer(rebasing: frame[header.size...]))
        }
        #expect(decoded == acknowledgement)
        #expect(try BLIPConnection().receive(bytes) == nil)
    }

    private func message(
        _ type: BLIPMessage.MessageType, _ number: UInt64, _ properties: BLIPProperties = [:], _ body: String = "",
        noReply: Bool = false, isCompressed: Bool = false,
    ) -> BLIPMessage {
        BLIPMessage(
            type: type, number: number, properties: properties, body: Array(body.utf8), noReply: noReply,
            isCompressed: isCompressed)
    }
}
