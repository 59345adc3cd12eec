import Foundation

/// Times as Sync Gateway's answers have them.
enum Timestamp {
    /// Milliseconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// `2026-11-21T02:18:47Z`.
    static func rfc3339(milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
    }

    /// `2026-11-21T02:18:47.555Z`: apps of 1.x read the end of a session by the pattern `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, which wants a fraction.
    static func rfc3339WithFraction(milliseconds: Int64) -> String {
        let fraction = String(1_000 + max(0, milliseconds) % 1_000).dropFirst()
        return "\(rfc3339(milliseconds: milliseconds).dropLast()).\(fraction)Z"
    }
}
