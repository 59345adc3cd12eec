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
