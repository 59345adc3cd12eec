import Foundation

/// Where the time comes from: milliseconds since 1970. Tests bring their own.
public struct AccessClock: Sendable {
    public let now: @Sendable () -> Int64

    public init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    public static let system = AccessClock { Int64(Date().timeIntervalSince1970 * 1000) }
}
