import HTTPTypes
import HummingbirdCore
import NIOCore
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("Flow control of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketBackpressureTests {
    @Test("64 MB to a route that reads late use limited memory")
    func slowRoute() async throws {
        let total = 64 << 20
        let (releases, release) = AsyncStream<Void>.makeStream()
        let received = Counter()
        try await serveWebSockets(
            route: { socket in
                for await _ in releases { break }
                while let messages = try await socket.receive() { received.add(messages.reduce(0) { $0 + $1.bytes.count }) }
            }
        ) { port, _ in
            let socket = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(port)/db").connection
            let sent = Counter()
            let sending = Task {
                let message = WebSocketMessage.binary([UInt8](repeating: 7, count: 16 << 10))
                for _ in 0..<(total / message.bytes.count) {
                    try await socket.send(message)
                    sent.add(message.bytes.count)
                }
                await socket.close(code: .normalClosure, reason: "")
            }
            await sent.waitUntilStable()
            #expect(sent.value < total / 2)
            release.yield()
            try await sending.value
            #expect(received.value == total)
        }
    }

    @Test("64 MB to a client that reads late use limited memory")
    func slowClient() async throws {
        let total = 64 << 20
        let sent = Counter()
        try await serveWebSockets(
            route: { socket in
                let message = WebSocketMessage.binary([UInt8](repeating: 7, count: 16 << 10))
                for _ in 0..<(total / message.bytes.count) {
                    try await socket.send(message)
                    sent.add(message.bytes.count)
                }
            }
        ) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            await sent.waitUntilStable()
            #expect(sent.value < total / 2)
            var received = 0
            while received < total, let buffer = try await client.next() { received += buffer.readableBytes }
            #expect(received >= total)
        }
    }

    @Test("A peer that pings and never reads does not fill memory, and is dropped in the end")
    func pingFlood() async throws {
        var limits = WebSocketLimits()
        limits.writeTimeout = .milliseconds(200)
        try await serveWebSockets(
            limits,
            route: { socket in
                // Fills the buffers to the peer, so that no pong is sent.
                while true { try await socket.send(.binary([UInt8](repeating: 1, count: 64 << 10))) }
            }
        ) { port, _ in
            let client = try await RawClient.webSocket(port: port)
            await #expect(throws: (any Error).self) {
                while true { try await client.send(9, [UInt8](repeating: 1, count: 125)) }
            }
        }
    }
}
