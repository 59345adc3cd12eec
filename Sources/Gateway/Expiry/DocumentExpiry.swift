import Documents
import Foundation

/// When a document expires, in the forms in which Sync Gateway takes it: `_exp` in a document, and `expiry()` of a sync function.
///
/// A number is Couchbase Server's: seconds from now if it is at most 30 days, seconds since 1970 otherwise; 0 and `null` mean never. A text
/// is such a number, or a time as in RFC 3339. (Sync Gateway, `base.ReflectExpiry`, and its documentation of `expiry()`.)
public struct DocumentExpiry: Hashable, Sendable {
    /// Milliseconds since 1970.
    public let time: Int64

    /// Up to this a number is seconds from now.
    private static let longestDelay: UInt32 = 30 * 86_400

    public init(time: Int64) {
        self.time = time
    }

    /// From Couchbase Server's number; `nil` if it means never.
    ///
    /// - Parameter now: milliseconds since 1970.
    public init?(seconds: UInt32, now: Int64) {
        guard seconds > 0 else { return nil }
        time = seconds <= Self.longestDelay ? now + Int64(seconds) * 1000 : Int64(seconds) * 1000
    }

    /// From the JSON of `_exp`; `nil` if it means never.
    ///
    /// - Throws: ``GatewayError`` with code `badRequest` if it is no time.
    public init?(json: [UInt8]) throws {
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

    /// The time as Sync Gateway shows it: `2026-11-21T03:08:47Z`.
    public var text: String {
        Date(timeIntervalSince1970: Double(time / 1000)).formatted(.iso8601)
    }

    private static func seconds(rfc3339 text: String) -> UInt32? {
        // Longer ones have digits of a second that nobody needs.
        guard text.utf8.count <= 40 else { return nil }
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        let date = styles.lazy.compactMap { try? Date(text, strategy: $0) }.first
        return date.flatMap { UInt32(exactly: $0.timeIntervalSince1970.rounded(.down)) }
    }
}
