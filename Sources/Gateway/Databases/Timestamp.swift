import Foundation

/// The wall clock in the store's unit, and the text of a time in Sync Gateway's replies.
package enum Timestamp {
    /// The present time, in milliseconds since 1970.
    package static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// `2026-11-21T02:18:47Z`.
    package static func rfc3339(milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
    }

    /// `2026-11-21T02:18:47.555Z`: 1.x apps parse the end of a session with the pattern `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, which requires a
    /// fraction.
    package static func rfc3339WithFraction(milliseconds: Int64) -> String {
        let fraction = String(1_000 + max(0, milliseconds) % 1_000).dropFirst()
        return "\(rfc3339(milliseconds: milliseconds).dropLast()).\(fraction)Z"
    }
}
