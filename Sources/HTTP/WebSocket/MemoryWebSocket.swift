import Coordination

/// Two WebSockets connected in memory, for endpoints within one process and for tests.
package enum WebSocketPair {
    /// - Parameters:
    ///   - subprotocol: The negotiated protocol.
    ///   - capacity: How many unreceived bytes a side may have before the other side's `send` waits.
    package static func make(
        subprotocol: String? = nil, capacity: Int = 256 * 1024
    ) -> (client: any WebSocketConnection, server: any WebSocketConnection) {
        let client = MemoryWebSocket(subprotocol: subprotocol, capacity: capacity)
        let server = MemoryWebSocket(subprotocol: subprotocol, capacity: capacity)
        client.join(server)
        server.join(client)
        return (client, server)
    }
}

/// One side of a ``WebSocketPair``.
final class MemoryWebSocket: WebSocketConnection {
    let subprotocol: String?
    private let inbox: InboundQueue<WebSocketMessage>
    /// Closed while this side's inbox is full; the other side's senders wait at it.
    private let gate = FlowGate()
    private let state = Lock(State())

    private struct State {
        weak var peer: MemoryWebSocket?
        var closure: WebSocketClosure?
    }

    init(subprotocol: String?, capacity: Int) {
        self.subprotocol = subprotocol
        inbox = InboundQueue(capacity: capacity)
        inbox.onResume { [weak self] in self?.gate.open() }
    }

    deinit {
        state.withLock { $0.peer }?.end(.lost("the other side is gone"))
    }

    func join(_ peer: MemoryWebSocket) {
        state.withLock { $0.peer = peer }
    }

    var closure: WebSocketClosure? { state.withLock { $0.closure } }

    func receive() async throws -> [WebSocketMessage]? {
        try await inbox.nextBatch()
    }

    func send(_ messages: [WebSocketMessage]) async throws {
        let peer = state.withLock { $0.closure == nil ? $0.peer : nil }
        guard let peer else { throw Self.closed }
        guard !messages.isEmpty else { return }
        try await peer.accept(messages)
    }

    func close(code: WebSocketCloseCode, reason: String) async {
        let peer = state.withLock { $0.peer }
        guard end(WebSocketClosure(code: code, reason: reason, initiator: .local)) else { return }
        peer?.end(WebSocketClosure(code: code, reason: reason, initiator: .peer))
    }

    func drop() {
        let peer = state.withLock { $0.peer }
        guard end(.lost("dropped by this side")) else { return }
        peer?.end(.lost("dropped by the other side"))
    }

    private static let closed = WebSocketError(.closed, reason: "The WebSocket is closed; nothing more can be sent.")

    private func accept(_ messages: [WebSocketMessage]) async throws {
        gate.close()
        if inbox.push(messages, size: messages.reduce(0) { $0 + $1.bytes.count + 64 }) { gate.open() }
        try await gate.pass()
    }

    @discardableResult
    private func end(_ closure: WebSocketClosure) -> Bool {
        let isFirst = state.withLock { state in
            guard state.closure == nil else { return false }
            state.closure = closure
            return true
        }
        guard isFirst else { return false }
        inbox.finish()
        gate.fail(Self.closed)
        return true
    }
}
