import Foundation

/// Where the time comes from. Tests bring their own.
public struct AccessClock: Sendable {
    /// Milliseconds since 1970. It jumps when somebody sets the machine's clock: for times that others are told, or that are stored.
    public let now: @Sendable () -> Int64

    /// Milliseconds since the start. It never goes back: for how long ago something was.
    public let uptime: @Sendable () -> Int64

    /// - Parameter uptime: `nil` where `now` never jumps.
    public init(now: @escaping @Sendable () -> Int64, uptime: (@Sendable () -> Int64)? = nil) {
        self.now = now
        self.uptime = uptime ?? now
    }

    public static let system = AccessClock(
        now: { Int64(Date().timeIntervalSince1970 * 1000) },
        uptime: {
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        })

    private static let start = ContinuousClock.now

    /// Whole seconds since 1970, as tokens and certificates count.
    public var seconds: Int64 { now() / 1000 }

    /// Whole seconds since the start.
    package var uptimeSeconds: Int64 { uptime() / 1000 }
}
