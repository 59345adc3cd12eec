import Documents
import Foundation

/// When a document expires, in the forms that Sync Gateway accepts: `_exp` in a document, and `expiry()` in a sync function.
///
/// A number has Couchbase Server's meaning: seconds from now if it is at most 30 days, seconds since 1970 otherwise; 0 and `null` mean never. A
/// string is such a number, or an RFC 3339 time. (Sync Gateway, `base.ReflectExpiry`, and its documentation of `expiry()`.)
package struct DocumentExpiry: Hashable, Sendable {
    /// Milliseconds since 1970.
    package let time: Int64

    /// The largest number that means seconds from now.
    private static let longestDelay: UInt32 = 30 * 86_400

    package init(time: Int64) {
        self.time = time
    }

    /// From Couchbase Server's number; `nil` if it means never.
    ///
    /// - Parameter now: milliseconds since 1970.
    package init?(seconds: UInt32, now: Int64) {
        guard seconds > 0 else { return nil }
        time = seconds <= Self.longestDelay ? now + Int64(seconds) * 1000 : Int64(seconds) * 1000
    }

    /// From the JSON of `_exp`; `nil` if it means never.
    ///
    /// - Throws: ``GatewayError`` with code `badRequest` if it is not a valid time.
    package init?(json: [UInt8]) throws {
        try self.init(json: json, now: Timestamp.now)
    }

    init?(json: [UInt8], now: Int64) throws {
        let seconds: UInt32?
        switch try? JSONValue(json) {
        case .null: return nil
        case .number(let text): seconds = UInt32(text)
        case .string(let text): seconds = UInt32(text) ?? Self.seconds(rfc3339: text)
        default: seconds = nil
        }
        guard let seconds else {
            throw GatewayError(
                .badRequest,
                """
                Invalid expiry: \(String(decoding: json.prefix(60), as: UTF8.self)) is neither a number of seconds below 2^32 \
                nor a time like "2026-11-21T03:08:47Z"
                """)
        }
        self.init(seconds: seconds, now: now)
    }

    /// The time in Sync Gateway's form: `2026-11-21T03:08:47Z`.
    package var text: String {
        Date(timeIntervalSince1970: Double(time / 1000)).formatted(.iso8601)
    }

    private static func seconds(rfc3339 text: String) -> UInt32? {
        // Longer texts have more fractional digits than any client needs.
        guard text.utf8.count <= 40 else { return nil }
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        let date = styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
        return date.flatMap { UInt32(exactly: $0.timeIntervalSince1970.rounded(.down)) }
    }
}
