import Coordination
import ModernProtocol

/// Counts the bytes of a connection's messages in both directions, in their compressed form.
final class TrafficCounter: Sendable {
    /// The number of bytes between two notifications, so that a large attachment shows progress.
    private static let step: UInt64 = 1 << 20

    private let unreported = Lock<UInt64>(0)
    private let notify: @Sendable () -> Void

    /// - Parameter notify: Called repeatedly during large transfers.
    init(_ notify: @escaping @Sendable () -> Void) {
        self.notify = notify
    }

    func count(_ messages: [[UInt8]]) {
        let size = messages.reduce(UInt64(0)) { $0 + UInt64($1.count) }
        let isDue = unreported.withLock { unreported in
            defer { unreported += size }
            return unreported < Self.step && unreported + size >= Self.step
        }
        if isDue { notify() }
    }

    /// Returns and resets the number of bytes since the last call.
    func take() -> UInt64 {
        unreported.withLock { unreported in
            defer { unreported = 0 }
            return unreported
        }
    }
}

/// A socket that counts its bytes.
struct CountedMessages: MessageSocket {
    let socket: any MessageSocket
    let traffic: TrafficCounter

    func receive() async throws -> [[UInt8]]? {
        let messages = try await socket.receive()
        if let messages { traffic.count(messages) }
        return messages
    }

    func send(_ messages: [[UInt8]]) async throws {
        try await socket.send(messages)
        traffic.count(messages)
    }

    func close(code: UInt16, reason: String) async { await socket.close(code: code, reason: reason) }
    func drop() async { await socket.drop() }
}
