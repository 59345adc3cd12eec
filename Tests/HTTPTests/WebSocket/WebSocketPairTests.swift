import TestSupport
import Testing

@testable import HTTP

@Suite("WebSockets in memory", .timeLimit(.minutes(5)))
struct WebSocketPairTests {
    @Test("Messages arrive in order in both directions")
    func messages() async throws {
        let (client, server) = WebSocketPair.make(subprotocol: "p")
        #expect(client.subprotocol == "p" && server.subprotocol == "p")
        try await client.send([.text("1"), .binary([2])])
        try await client.send(.text("3"))
        #expect(try await server.receive() == [.text("1"), .binary([2]), .text("3")])
        try await server.send(.text("back"))
        #expect(try await client.receive() == [.text("back")])
    }

    @Test("A close arrives after the messages before it")
    func close() async throws {
        let (client, server) = WebSocketPair.make()
        try await client.send(.text("last"))
        await client.close(code: .transientError, reason: "why")
        #expect(try await server.receive() == [.text("last")])
        #expect(try await server.receive() == nil)
        #expect(server.closure == WebSocketClosure(code: .transientError, reason: "why", initiator: .peer))
        #expect(client.closure == WebSocketClosure(code: .transientError, reason: "why", initiator: .local))
        await #expect(throws: WebSocketError.self) { try await server.send(.text("late")) }
        await #expect(throws: WebSocketError.self) { try await client.send(.text("late")) }
    }

    @Test("A drop counts as a lost connection", arguments: [true, false])
    func drop(isExplicit: Bool) async throws {
        let server: any WebSocketConnection
        do {
            let pair = WebSocketPair.make()
            server = pair.server
            if isExplicit { pair.client.drop() }
        }
        #expect(try await server.receive() == nil)
        #expect(server.closure?.code == .abnormalClosure)
    }

    @Test("A sender waits for a slow reader")
    func backpressure() async throws {
        let (client, server) = WebSocketPair.make(capacity: 100_000)
        let sent = Counter()
        let sending = Task {
            for _ in 0..<1000 {
                try await client.send(.binary([UInt8](repeating: 1, count: 1000)))
                sent.add(1)
            }
        }
        await sent.waitUntilStable()
        #expect(sent.value <= 100)
        var received = 0
        while received < 1000, let messages = try await server.receive() { received += messages.count }
        #expect(received == 1000)
        try await sending.value
    }

    @Test("A waiting sender fails when the other side closes")
    func closedWhileWaiting() async throws {
        let (client, server) = WebSocketPair.make(capacity: 10)
        let sending = Task { try await client.send(.binary([UInt8](repeating: 1, count: 1000))) }
        await server.close(code: .normalClosure, reason: "")
        await #expect(throws: WebSocketError.self) { try await sending.value }
    }
}
