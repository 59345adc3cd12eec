import Foundation

/// Times as Sync Gateway's answers have them.
enum Timestamp {
    /// `2026-11-21T02:18:47Z`.
    static func rfc3339(milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
    }
}
