import NIOCore
import Testing

@testable import HTTP

@Suite("The first message of a WebSocket that is passed on")
struct WebSocketFirstMessageTests {
    private static func frame(_ opcode: WebSocketOpcode, _ text: String, role: WebSocketRole = .client) -> ByteBuffer {
        WebSocketFrameWriter(role: role).control(opcode, Array(text.utf8))
    }

    private static func filter(limit: Int = 1000, _ change: @escaping @Sendable (String) -> String?) -> WebSocketFirstMessage {
        WebSocketFirstMessage(limit: limit) { change(String(decoding: $0, as: UTF8.self)).map { Array($0.utf8) } }
    }

    /// The messages in bytes that a client sends.
    private static func messages(_ bytes: ByteBuffer) throws -> [String] {
        var reader = WebSocketReader(role: .server, frameSize: 1 << 20, messageSize: 1 << 20)
        var events: [WebSocketReader.Event] = []
        try bytes.withUnsafeReadableBytes { try reader.read($0, into: &events) }
        return events.map { event in
            switch event {
            case .message(let message): String(decoding: message.bytes, as: UTF8.self)
            case .ping: "ping"
            case .pong: "pong"
            case .close: "close"
            }
        }
    }

    @Test("Only the first message is changed, in chunks of any size; control frames before it stay", arguments: [1, 2, 3, 7, 1000])
    func chunks(size: Int) throws {
        for long in [5, 200, 70_000] {
            var bytes = Self.frame(.ping, "p")
            let first = String(repeating: "a", count: long)
            for frame in [Self.frame(.text, first), Self.frame(.text, first), Self.frame(.binary, "z")] {
                bytes.writeImmutableBuffer(frame)
            }
            var filter = Self.filter(limit: 100_000) { $0 == first ? "changed" : "never" }
            var passed = ByteBuffer()
            while let chunk = bytes.readSlice(length: min(size, bytes.readableBytes)), chunk.readableBytes > 0 {
                passed.writeImmutableBuffer(filter.receive(chunk))
            }
            #expect(try Self.messages(passed) == ["ping", "changed", first, "z"])
        }
    }

    @Test("A message that needs no change is passed on byte for byte")
    func unchanged() {
        let frame = Self.frame(.text, "a")
        var filter = Self.filter { _ in nil }
        #expect(filter.receive(frame) == frame)
    }

    @Test("Bytes that are no single short message are passed on as they are, and nothing is held back")
    func others() {
        var fragment = Self.frame(.text, "a")
        fragment.setInteger(UInt8(1), at: fragment.readerIndex)
        for bytes in [
            fragment, Self.frame(.text, String(repeating: "a", count: 50)),
            ByteBuffer(bytes: [0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
        ] {
            var filter = Self.filter(limit: 20) { _ in "changed" }
            #expect(filter.receive(bytes) == bytes)
            #expect(filter.receive(Self.frame(.text, "b", role: .server)) == Self.frame(.text, "b", role: .server))
        }
    }
}
