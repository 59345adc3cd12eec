import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("WebSocket routes", .timeLimit(.minutes(5)))
struct WebSocketServerTests {
    @Test("The 101 response has exactly the headers that clients compare")
    func answer() async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                upgradeRequest(
                    protocols: "foo, BLIP_3+CBMobile_2,BLIP_3+CBMobile_3", more: "Sec-WebSocket-Extensions: permessage-deflate\r\n"))
            let head = try await client.read(until: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(head.contains("\r\nConnection: Upgrade\r\n"))
            #expect(head.contains("\r\nUpgrade: websocket\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_2\r\n"))
            #expect(head.contains("\r\nServer: Test/1 (Server)\r\n"))
            #expect(!head.contains("Extensions") && !head.contains("Content-Length") && !head.contains("Transfer-Encoding"))
        }
    }

    @Test("Frames that are sent with the request, before the response, are read")
    func earlyFrames() async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            var buffer = ByteBuffer(string: upgradeRequest())
            WebSocketFrameWriter(role: .client).write(.binary, [1, 2, 3], to: &buffer)
            try await client.send(Array(buffer.readableBytesView))
            var bytes: [UInt8] = []
            while !bytes.suffix(5).elementsEqual([0x82, 3, 1, 2, 3]), let next = try await client.next() { bytes += next.readableBytesView }
            #expect(bytes.suffix(5) == [0x82, 3, 1, 2, 3])
        }
    }

    @Test("A later request of a connection can be upgraded, too")
    func laterRequest() async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n" + upgradeRequest())
            #expect(try await client.read(until: " 101 ").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("A refused upgrade gets its response, and the connection continues")
    func refused() async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                upgradeRequest(protocols: "nonsense") + upgradeRequest("/plain/1") + "GET /plain/2 HTTP/1.1\r\nHost: a\r\n\r\n"
                    + upgradeRequest())
            let text = try await client.read(until: "101 Switching Protocols\r\n")
            #expect(text.split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) } == ["500", "200", "200", "101"])
            #expect(text.contains("GET /plain/1 ") && text.contains("GET /plain/2 "))
        }
    }

    @Test(
        "An invalid upgrade gets 426 from a WebSocket route, and the connection continues",
        arguments: [
            "", "Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
            "Connection: keep-alive\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        ])
    func upgradeRequired(headers: String) async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                "GET /db/_blipsync HTTP/1.1\r\nHost: a\r\n\(headers)\r\nGET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = try await client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 426 "))
            #expect(text.contains("\r\nUpgrade: websocket\r\n") && text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
            #expect(text.contains("Can't upgrade this request to websocket connection"))
            #expect(text.hasSuffix("GET /plain "))
        }
    }

    @Test("The closing side reports its own close, however fast the other side responds")
    func initiator() async throws {
        try await serveWebSockets { port, _ in
            for _ in 0..<50 {
                let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
                await socket.close(code: .normalClosure, reason: "done")
                #expect(socket.closure == WebSocketClosure(code: .normalClosure, reason: "done", initiator: .local))
            }
        }
    }

    @Test("An invalid key gets 400, and the connection continues", arguments: ["", "Sec-WebSocket-Key: short\r\n"])
    func badKey(header: String) async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(
                "GET /db/_blipsync HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\(header)\r\n"
                    + "GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = try await client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("Sec-WebSocket-Key"))
            #expect(text.hasSuffix("GET /plain "))
        }
    }

    @Test("Messages of all sizes come back, text as text")
    func sizes() async throws {
        try await serveWebSockets { port, _ in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            for size in [0, 1, 125, 126, 65_535, 65_536, 1 << 20, 8 << 20] {
                let message = WebSocketMessage.binary([UInt8](repeating: UInt8(size % 251), count: size))
                try await socket.send(message)
                #expect(try await socket.receive(count: 1) == [message])
            }
            try await socket.send([.text("é"), .binary([1]), .text("")])
            #expect(try await socket.receive(count: 3) == [.text("é"), .binary([1]), .text("")])
            await socket.close(code: .normalClosure, reason: "done")
            #expect(socket.closure == WebSocketClosure(code: .normalClosure, reason: "done", initiator: .local))
            #expect(try await socket.receive() == nil)
        }
    }

    @Test("Fragments are joined, and pings get pongs with their payload")
    func fragments() async throws {
        try await serveWebSockets { port, _ in
            let client = try await RawClient.webSocket(port: port)
            try await client.send(1, Array("frag".utf8), isFinal: false)
            try await client.send(9, Array("payload".utf8))
            try await client.send(0, Array("ment".utf8), isFinal: false)
            try await client.send(0, Array("ed".utf8))
            #expect(try await client.read(count: 21) == [0x8A, 7] + Array("payload".utf8) + [0x81, 10] + Array("fragmented".utf8))
        }
    }

    @Test(
        "A protocol error closes with its code, which the peer can read",
        arguments: [
            ([0x82, 1, 7], 1002), ([0xC2, 0x80, 0, 0, 0, 0], 1002), ([0x80, 0x80, 0, 0, 0, 0], 1002),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 400_000), 1009),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
        ] as [([UInt8], Int)])
    func violations(bytes: [UInt8], code: Int) async throws {
        var limits = WebSocketLimits()
        limits.frameSize = 100_000
        let (closures, closed) = AsyncStream<WebSocketClosure?>.makeStream()
        try await serveWebSockets(
            limits,
            route: { socket in
                while try await socket.receive() != nil {}
                closed.yield(socket.closure)
            }
        ) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            try await client.send(bytes)
            let answer = try await client.bytesToEnd()
            #expect(answer.first == 0x88)
            #expect(Array(answer.dropFirst(2).prefix(2)) == [UInt8(code >> 8), UInt8(code & 0xFF)])
            for await closure in closures {
                #expect(closure?.initiator == .local && closure?.code.rawValue == UInt16(code))
                break
            }
        }
    }

    @Test("A message over the limit in many fragments closes with 1009")
    func fragmentedTooBig() async throws {
        var limits = WebSocketLimits()
        limits.messageSize = 100_000
        try await serveWebSockets(limits) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            for number in 0..<11 { try await client.send(number == 0 ? 2 : 0, [UInt8](repeating: 1, count: 10_000), isFinal: false) }
            #expect(try await client.bytesToEnd().starts(with: [0x88]))
        }
    }

    @Test("A route closes with any code, and the peer reads code and reason", arguments: [1000, 4001, 4002, 1011] as [UInt16])
    func closeCodes(code: UInt16) async throws {
        try await serveWebSockets(route: { await $0.close(code: .init(rawValue: code), reason: "because") }) { port, _ in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            #expect(try await socket.receive() == nil)
            #expect(socket.closure == WebSocketClosure(code: .init(rawValue: code), reason: "because", initiator: .peer))
            await #expect(throws: WebSocketError.self) { try await socket.send(.text("late")) }
        }
    }

    @Test("A route that returns closes with 1000, and one that throws with 1011", arguments: [true, false])
    func ends(throwing: Bool) async throws {
        struct Failure: Error {}
        try await serveWebSockets(route: { _ in if throwing { throw Failure() } }) { port, _ in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            #expect(try await socket.receive() == nil)
            #expect(socket.closure?.code == (throwing ? .unexpectedCondition : .normalClosure))
        }
    }

    @Test("A dropped socket sends no close frame, and the other side reports 1006")
    func drop() async throws {
        try await serveWebSockets(route: { $0.drop() }) { port, _ in
            let client = try await RawClient.connect(port: port)
            try await client.send(upgradeRequest())
            #expect(try await client.readToEnd().hasSuffix("\r\n\r\n"))
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            #expect(try await socket.receive() == nil)
            #expect(socket.closure?.code == .abnormalClosure)
            #expect(socket.closure?.initiator == .lost)
        }
    }

    @Test("The route gets the way in which its client left")
    func clientLeaves() async throws {
        let (starts, begun) = AsyncStream<Void>.makeStream()
        let (closures, closed) = AsyncStream<WebSocketClosure?>.makeStream()
        try await serveWebSockets(
            route: { socket in
                begun.yield()
                while try await socket.receive() != nil {}
                closed.yield(socket.closure)
            }
        ) { port, _ in
            var (iterator, started) = (closures.makeAsyncIterator(), starts.makeAsyncIterator())
            // A client that leaves before the route has begun cancels it.
            func connect() async throws -> RawClient {
                let client = try await RawClient.webSocket(port: port)
                await started.next()
                return client
            }
            let first = try await connect()
            try await first.send(8, [0x0F, 0xA1, 0x68, 0x69])
            #expect(try await first.bytesToEnd() == [0x88, 2, 0x0F, 0xA1])
            #expect(await iterator.next() == WebSocketClosure(code: .transientError, reason: "hi", initiator: .peer))
            let second = try await connect()
            second.close()
            #expect(await iterator.next()??.initiator == .lost)
            let third = try await connect()
            try await third.closeOutput()
            #expect(await iterator.next()??.code == .abnormalClosure)
        }
    }

    @Test("Messages that were sent before a close arrive before it")
    func sentBeforeClose() async throws {
        try await serveWebSockets(
            route: { socket in
                try await socket.send((0..<1000).map { .text("\($0)") })
                await socket.close(code: .transientError, reason: "")
            }
        ) { port, _ in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            #expect(try await socket.receive(count: 2000) == (0..<1000).map { .text("\($0)") })
            #expect(socket.closure?.code == .transientError)
        }
    }

    @Test("A silent peer is pinged, and dropped without a response")
    func pingTimeout() async throws {
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(100)
        limits.pingTimeout = .seconds(1)
        try await serveWebSockets(limits) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            let bytes = try await client.bytesToEnd()
            #expect(bytes == [0x89, 0])
        }
    }

    @Test("A peer that responds to pings stays connected")
    func pingAnswered() async throws {
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(30)
        limits.pingTimeout = .seconds(20)
        try await serveWebSockets(limits) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            for _ in 0..<5 {
                #expect(try await client.read(count: 2) == [0x89, 0])
                try await client.send(10, [])
            }
        }
    }

    @Test("An idle socket is dropped by the idle limit, whatever HTTP's limits")
    func idle() async throws {
        var limits = WebSocketLimits()
        limits.idleTimeout = .milliseconds(50)
        try await serveWebSockets(limits) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            #expect(try await client.bytesToEnd() == [])
        }
        var server = quickLimits
        server.keepAliveTimeout = .milliseconds(20)
        server.bodyTimeout = .milliseconds(20)
        limits.idleTimeout = nil
        limits.pingInterval = .milliseconds(200)
        try await serveWebSockets(limits, server: server) { port, _ in
            // The ping comes ten times later than HTTP's limits.
            let client = try await RawClient.webSocket(port: port)
            #expect(try await client.read(count: 2) == [0x89, 0])
        }
    }

    @Test("A peer that does not respond to a close frame is dropped at the timeout")
    func closeTimeout() async throws {
        var limits = WebSocketLimits()
        limits.closeTimeout = .milliseconds(50)
        try await serveWebSockets(limits, route: { await $0.close(code: .transientError, reason: "") }) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            #expect(try await client.bytesToEnd() == [0x88, 2, 0x0F, 0xA1])
        }
    }

    @Test("A shutdown closes sockets with its code, and drops those that continue")
    func shutdown() async throws {
        let (begins, begin) = AsyncStream<Void>.makeStream()
        try await serveWebSockets(
            route: { socket in
                begin.yield()
                try await echo(socket)
            }
        ) { port, server in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            let silent = try await RawClient.webSocket(port: port)
            var iterator = begins.makeAsyncIterator()
            await iterator.next()
            await iterator.next()
            async let stopped: Void = server.shutdown()
            #expect(try await socket.receive() == nil)
            #expect(socket.closure?.code == .transientError)
            #expect(try await silent.bytesToEnd().starts(with: [0x88]))
            try await stopped
        }
    }

    @Test("A cancelled receive throws")
    func cancelled() async throws {
        let (client, server) = WebSocketPair.make()
        let task = Task { try await server.receive() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.close(code: .normalClosure, reason: "")
    }
}
