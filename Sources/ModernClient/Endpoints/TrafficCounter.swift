import ModernProtocol
import Synchronization

/// Counts the bytes of a connection's messages, in both directions, as they travel.
final class TrafficCounter: Sendable {
    /// After how many bytes somebody is told, so that a large attachment shows.
    private static let step: UInt64 = 1 << 20

    private let untold = Mutex<UInt64>(0)
    private let tell: @Sendable () -> Void

    /// - Parameter tell: Is called now and then, while much is transferred.
    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    func count(_ messages: [[UInt8]]) {
        let size = messages.reduce(UInt64(0)) { $0 + UInt64($1.count) }
        let isDue = untold.withLock { untold in
            defer { untold += size }
            return untold < Self.step && untold + size >= Self.step
        }
        if isDue { tell() }
    }

    /// What was counted since this was asked last.
    func take() -> UInt64 {
        untold.withLock { untold in
            defer { untold = 0 }
            return untold
        }
    }
}

/// A socket whose bytes are counted.
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
