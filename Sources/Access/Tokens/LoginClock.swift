import Foundation

/// The time that expiries are compared with.
public struct LoginClock: Sendable {
    /// Seconds since 1970.
    public let now: @Sendable () -> Int64

    public init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    /// The machine's.
    public static let system = LoginClock { Int64(Date().timeIntervalSince1970) }
}
