import Foundation

/// A moment, which is written as `2026-11-21T10:20:57Z`.
public struct ReportTime: Hashable, Comparable, Sendable {
    /// Since 1970.
    public let seconds: Int64

    public init(seconds: Int64) {
        self.seconds = seconds
    }

    public static var now: ReportTime { ReportTime(seconds: Int64(Date().timeIntervalSince1970)) }

    public static func < (a: ReportTime, b: ReportTime) -> Bool { a.seconds < b.seconds }
}

extension ReportTime: CustomStringConvertible {
    public var description: String { Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601) }
}

extension ReportTime: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "`\(text)` is not a time as 2026-11-21T10:20:57Z")
        }
        seconds = Int64(date.timeIntervalSince1970)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
