import BLIP
import Testing

/// Frames and messages that violate the protocol.
@Suite("Violations of BLIP")
struct BLIPFaultTests {
    /// A BLIP frame with a valid checksum, as the first of a connection.
    private static func frame(_ number: [UInt8], _ flags: UInt8, _ payload: [UInt8], checksum: UInt32? = nil) -> [UInt8] {
        let sum = checksum ?? crc32(payload)
        return number + [flags] + payload + withUnsafeBytes(of: sum.bigEndian) { Array($0) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = sum & 1 == 1
                sum >>= 1
                if isOdd { sum ^= 0xEDB8_8320 }
            }
        }
        return ~sum
    }

    private static func properties(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    private static let ask = properties("Profile\0getCheckpoint\0client\0cp\0")

    /// WebSocket frames, and the bridge's close codes.
    static let violations: [(what: String, bytes: [UInt8], code: Int)] = [
        ("a bad checksum", RawWebSocket.frame(frame([1], 0, ask, checksum: 7)), 1011),
        ("a frame without a checksum", RawWebSocket.frame([1, 0, 1]), 1011),
        ("an empty frame", RawWebSocket.frame([]), 1011),
        ("a header cut off", RawWebSocket.frame([0x81]), 1011),
        ("a number that does not end", RawWebSocket.frame([UInt8](repeating: 0xFF, count: 20)), 1011),
        ("a message number far ahead", RawWebSocket.frame(frame([0xE7, 7], 0, ask)), 1011),
        ("message number 0", RawWebSocket.frame(frame([0], 0, ask)), 1011),
        (
            "a request that comes twice",
            RawWebSocket.frame(frame([1], 0x20, ask)) + RawWebSocket.frame(frame([1], 0x20, ask, checksum: crc32(ask + ask))), 1011
        ),
        ("an over-long block of properties", RawWebSocket.frame(frame([1], 0, [0xFF, 0xFF, 0x7F])), 1011),
        ("a block of properties that never ends", RawWebSocket.frame(frame([1], 0, [100, 0x61, 0])), 1011),
        ("properties without a NUL at the end", RawWebSocket.frame(frame([1], 0, properties("Profile\0getCheckpoint"))), 1011),
        ("a key without a value", RawWebSocket.frame(frame([1], 0, properties("Profile\0"))), 1011),
        ("a key that comes twice", RawWebSocket.frame(frame([1], 0, properties("a\0b\0a\0c\0"))), 1011),
        ("properties that are not UTF-8", RawWebSocket.frame(frame([1], 0, [4, 0xC3, 0, 0x28, 0])), 1011),
        ("too many properties", RawWebSocket.frame(frame([1], 0, longProperties)), 1011),
        ("a reply to nothing", RawWebSocket.frame(frame([1], 1, [0])), 1011),
        ("an error reply to nothing", RawWebSocket.frame(frame([9], 2, [0])), 1011),
        ("compressed garbage", RawWebSocket.frame(frame([1], 8, [0xDE, 0xAD, 0xBE, 0xEF])), 1011),
        ("an acknowledgement of garbage", RawWebSocket.frame([1, 4] + [UInt8](repeating: 0xFF, count: 12)), 1011),
        ("an unmasked frame", RawWebSocket.frame(0x82, frame([1], 0, ask), isMasked: false), 1002),
        ("a frame over the limit, announced", RawWebSocket.frame(0x82, [], length: (1 << 20) + 1), 1009),
        ("a frame of more bytes than there are numbers", [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 12), 1002),
        (
            "a message over the limit in fragments",
            RawWebSocket.frame(0x02, [UInt8](repeating: 0, count: 1 << 20)) + RawWebSocket.frame(0x80, [1]), 1009
        ),
        ("a reserved bit", RawWebSocket.frame(0xC2, ask), 1002),
        ("an unknown opcode", RawWebSocket.frame(0x83, ask), 1002),
        ("a continuation of nothing", RawWebSocket.frame(0x80, ask), 1002),
        ("a ping in fragments", RawWebSocket.frame(0x09, []), 1002),
        ("a ping that is too long", RawWebSocket.frame(0x89, [UInt8](repeating: 0, count: 126)), 1002),
        ("a close frame with half a code", RawWebSocket.frame(0x88, [3]), 1002),
        ("a close frame with a code that is not sent", RawWebSocket.frame(0x88, [3, 0xED]), 1002),
        ("text that is not UTF-8", RawWebSocket.frame(0x81, [0xC3, 0x28]), 1007),
    ]

    private static let longProperties: [UInt8] = {
        let text = (0..<65).map { "k\($0)\0v\0" }.joined()
        return [UInt8(text.utf8.count & 0x7F) | 0x80, UInt8(text.utf8.count >> 7)] + Array(text.utf8)
    }()

    @Test("A violation of the protocol closes only its own WebSocket, with a code that is never 1000 or 1001")
    func violations() async throws {
        try await RunningBridge.run { bridge in
            let bystander = try await RawBLIP(bridge)
            for (what, bytes, code) in Self.violations {
                let socket = try await RawWebSocket.open(bridge)
                try await socket.socket.send(bytes)
                #expect(try await socket.closeCode() == code, "\(what)")
                try await socket.socket.send(RawWebSocket.frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)]))
                #expect(try await socket.socket.readToEnd().isEmpty, "\(what): the connection ends")
                #expect(try await bystander.ask("getCheckpoint", ["client": "cp"]).errorCode == 404, "\(what): others go on")
            }
            try await bridge.expectSound(after: "broken frames")
        }
    }

    @Test("Text, unknown kinds of frame and acknowledgements of unknown messages are ignored")
    func ignored() async throws {
        try await RunningBridge.run { bridge in
            for bytes in [
                RawWebSocket.frame(0x81, Array("hello".utf8)), RawWebSocket.frame([1, 3, 0, 0, 0, 0]), RawWebSocket.frame([7, 4, 10]),
                RawWebSocket.frame(0x8A, []),
            ] {
                let blip = try await RawBLIP(bridge)
                try await blip.socket.socket.send(bytes)
                #expect(try await blip.ask("getCheckpoint", ["client": "cp"]).errorCode == 404)
            }
        }
    }

    @Test("A ping is answered with its payload, a close with its code")
    func control() async throws {
        try await RunningBridge.run { bridge in
            let socket = try await RawWebSocket.open(bridge)
            try await socket.socket.send(RawWebSocket.frame(0x89, [1, 2, 3]))
            let pong = try await socket.next()
            #expect(pong?.opcode == 10 && pong?.payload == [1, 2, 3])
            try await socket.socket.send(RawWebSocket.frame(0x88, [3, 0xE8]))
            #expect(try await socket.closeCode() == 1000)
            #expect(try await socket.socket.readToEnd().isEmpty)
        }
    }
}
