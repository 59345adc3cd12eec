import Coordination
import Documents
import HTTP

/// A client's WebSocket for a feed, in memory: it sends its options, and closes when it is caught up.
final class FeedSocket: WebSocketConnection {
    private struct State {
        var options: [UInt8]?
        var messages: [[UInt8]] = []
    }

    let subprotocol: String? = nil
    let closure: WebSocketClosure? = nil
    private let state: Lock<State>
    private let (life, death) = AsyncStream.makeStream(of: Void.self)

    init(_ options: [UInt8]) {
        state = Lock(State(options: options))
    }

    /// The received rows.
    var rows: [JSONValue] {
        get throws {
            try state.withLock { $0.messages }.flatMap { try JSONValue($0).array ?? [] }
        }
    }

    func receive() async throws -> [WebSocketMessage]? {
        if let options = state.withLock({ state in
            defer { state.options = nil }
            return state.options
        }) {
            return [WebSocketMessage(.text, bytes: options)]
        }
        for await _ in life {}
        try Task.checkCancellation()
        return nil
    }

    func send(_ messages: [WebSocketMessage]) async throws {
        for message in messages where !message.bytes.isEmpty {
            if message.text == "[]" { death.finish() } else { state.withLock { $0.messages.append(message.bytes) } }
        }
    }

    func close(code: WebSocketCloseCode, reason: String) async { death.finish() }
    func drop() { death.finish() }
}
