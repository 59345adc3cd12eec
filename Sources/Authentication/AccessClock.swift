import Foundation

/// The source of time. Tests inject their own.
package struct AccessClock: Sendable {
    /// Milliseconds since 1970. It jumps when the system clock is set. For times that are sent or stored.
    package let now: @Sendable () -> Int64

    /// Milliseconds since the start of the process. Monotonic. For durations.
    package let uptime: @Sendable () -> Int64

    /// - Parameter uptime: `nil` if `now` is monotonic.
    package init(now: @escaping @Sendable () -> Int64, uptime: (@Sendable () -> Int64)? = nil) {
        self.now = now
        self.uptime = uptime ?? now
    }

    package static let system = AccessClock(
        now: { Int64(Date().timeIntervalSince1970 * 1000) },
        uptime: {
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            return seconds * 1000 + attoseconds / 1_000_000_000_000_000
        })

    private static let start = ContinuousClock.now

    /// Whole seconds since 1970, as tokens and certificates count.
    package var seconds: Int64 { now() / 1000 }

    /// Whole seconds since the start.
    package var uptimeSeconds: Int64 { uptime() / 1000 }
}
