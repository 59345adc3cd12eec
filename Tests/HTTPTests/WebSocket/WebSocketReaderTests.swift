import NIOCore
import TestSupport
import Testing

@testable import HTTP

@Suite("WebSocket frames")
struct WebSocketReaderTests {
    private typealias Event = WebSocketReader.Event

    /// Reads bytes in pieces of the given size.
    private func read(
        _ bytes: [UInt8], role: WebSocketRole = .client, frameSize: Int = 1 << 20, messageSize: Int = 1 << 20, piece: Int = .max
    ) throws -> [WebSocketReader.Event] {
        var reader = WebSocketReader(role: role, frameSize: frameSize, messageSize: messageSize)
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try Array(rest.prefix(piece)).withUnsafeBytes { try reader.read($0, into: &events) }
            rest = rest.dropFirst(piece)
        }
        return events
    }

    private func violation(_ bytes: [UInt8], role: WebSocketRole = .client, frameSize: Int = 1 << 20, messageSize: Int = 1 << 20)
        -> WebSocketCloseCode?
    {
        do {
            _ = try read(bytes, role: role, frameSize: frameSize, messageSize: messageSize)
            return nil
        } catch {
            return (error as? WebSocketViolation)?.code
        }
    }

    @Test("The examples of RFC 6455 5.7 are read")
    func examples() throws {
        #expect(try read([0x81, 5, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [.message(.text("Hello"))])
        #expect(
            try read([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], role: .server) == [.message(.text("Hello"))])
        #expect(try read([0x01, 3, 0x48, 0x65, 0x6C, 0x80, 2, 0x6C, 0x6F]) == [.message(.text("Hello"))])
        #expect(try read([0x89, 5, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == [.ping(Array("Hello".utf8))])
        #expect(
            try read([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], role: .server) == [.pong])
    }

    @Test(
        "Frames are read as the other side wrote them, however they are split", arguments: [WebSocketRole.client, .server],
        [1, 2, 3, 7, 13, 14, 100, 65_536, Int.max])
    func roundTrip(role: WebSocketRole, piece: Int) throws {
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: piece))
        let sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 125, 126, 127, 1000, 65_535, 65_536, 70_000]
        let messages = sizes.map { size in
            WebSocketMessage(size % 2 == 0 ? .text : .binary, bytes: (0..<size).map { _ in .random(in: 0...127, using: &generator) })
        }
        let bytes = WebSocketFrameWriter(role: role).frames(messages, allocator: ByteBufferAllocator())
        let other: WebSocketRole = role == .client ? .server : .client
        #expect(try read(Array(bytes.readableBytesView), role: other, piece: piece) == messages.map { .message($0) })
    }

    @Test("Control frames may come between fragments")
    func interleaved() throws {
        #expect(try read([0x02, 1, 7, 0x89, 1, 9, 0x00, 1, 8, 0x80, 0]) == [.ping([9]), .message(.binary([7, 8]))])
    }

    @Test("A violation of the protocol closes with 1002")
    func violations() {
        let bad: [[UInt8]] = [
            [0xC1, 0], [0xA1, 0], [0x91, 0],  // reserved bits, permessage-deflate among them
            [0x83, 0], [0x8B, 0], [0x8F, 0],  // unknown opcodes
            [0x09, 0], [0x08, 0],  // control frames in fragments
            [0x89, 126, 0, 126], [0x88, 127, 0, 0, 0, 0, 0, 1, 0, 0],  // long control frames
            [0x80, 0], [0x00, 1, 1],  // continuations of nothing
            [0x01, 0, 0x81, 0], [0x02, 1, 1, 0x82, 0],  // a message within a message
            [0x82, 0x80, 0, 0, 0, 0],  // masked by a server
            [0x82, 126, 0, 5], [0x82, 127, 0, 0, 0, 0, 0, 0, 1, 0],  // lengths longer than need be
            [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],  // a negative length
            // Close codes.
            [0x88, 1, 3], [0x88, 2, 0, 0], [0x88, 2, 0x03, 0xED], [0x88, 2, 0x03, 0xEE], [0x88, 2, 0x07, 0xD0], [0x88, 2, 0xFF, 0xFF],
        ]
        for bytes in bad { #expect(violation(bytes) == .protocolError, "\(bytes)") }
        #expect(violation([0x82, 0], role: .server) == .protocolError)
    }

    @Test(
        "Text that is not UTF-8 closes with 1007",
        arguments: [[0x81, 1, 0xFF], [0x81, 2, 0xC3, 0x28], [0x01, 1, 0xC3, 0x80, 0], [0x88, 3, 0x03, 0xE8, 0xFF]])
    func invalidText(bytes: [UInt8]) {
        #expect(violation(bytes) == .invalidText)
    }

    @Test("A character may be split by fragments")
    func cutCharacter() throws {
        #expect(try read([0x01, 1, 0xC3, 0x80, 1, 0xA9]) == [.message(.text("é"))])
    }

    @Test("Too long frames and messages close with 1009 as soon as their length is known")
    func tooBig() throws {
        #expect(violation([0x82, 101], frameSize: 100) == .messageTooBig)
        #expect(try read([0x82, 100] + [UInt8](repeating: 1, count: 100), frameSize: 100).count == 1)
        #expect(violation([0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) == .messageTooBig)
        #expect(violation([0x02, 60] + [UInt8](repeating: 1, count: 60) + [0x80, 41], messageSize: 100) == .messageTooBig)
        #expect(
            try read([0x02, 60] + [UInt8](repeating: 1, count: 60) + [0x80, 40] + [UInt8](repeating: 1, count: 40), messageSize: 100).count
                == 1)
    }

    @Test("Close frames have code and reason")
    func close() throws {
        #expect(try read([0x88, 0]) == [.close(code: .noStatus, reason: "")])
        #expect(try read([0x88, 4, 0x0F, 0xA1, 0x68, 0x69]) == [.close(code: .transientError, reason: "hi")])
        let writer = WebSocketFrameWriter(role: .server)
        let long = writer.close(.permanentError, String(repeating: "é", count: 100))
        #expect(long.readableBytes == 2 + 124)
        #expect(try read(Array(long.readableBytesView)) == [.close(code: .permanentError, reason: String(repeating: "é", count: 61))])
        #expect(Array(writer.close(.abnormalClosure, "x").readableBytesView) == [0x88, 0])
    }

    @Test("Random bytes cause at most a protocol error")
    func fuzz() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 1...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for role in [WebSocketRole.client, .server] { _ = try? read(bytes, role: role, piece: 5) }
        }
    }

    @Test("The handshake of RFC 6455 1.3 gets its response")
    func accept() {
        #expect(WebSocketHandshake.accept(key: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketHandshake.isValid(key: "dGhlIHNhbXBsZSBub25jZQ=="))
        #expect(!WebSocketHandshake.isValid(key: "c2hvcnQ="))
        #expect(WebSocketHandshake.isValid(key: WebSocketHandshake.key()))
    }
}
