import Foundation

/// The wall clock, as the store keeps it.
enum Timestamp {
    /// Milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
