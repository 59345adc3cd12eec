import Foundation

/// The wall clock in the store's unit.
enum Timestamp {
    /// Milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
