import Foundation

/// What the environment says of a run beside a Sync Gateway.
struct ParitySettings: Sendable {
    private static let environment = ProcessInfo.processInfo.environment

    private static func number(_ key: String) -> UInt64? { environment[key].flatMap { UInt64($0) } }

    /// Which histories are drawn.
    var seeds: Range<UInt64> {
        let first = Self.number("DUALGAUGE_PARITY_SEED") ?? 1
        return first..<(first + (Self.number("DUALGAUGE_PARITY_HISTORIES") ?? 100))
    }

    /// How many histories run at a time.
    var width: Int { Int(Self.number("DUALGAUGE_PARITY_WIDTH") ?? 6) }

    /// How many differences are shrunk; the others are told by their seeds.
    var shrunk: Int { Int(Self.number("DUALGAUGE_PARITY_SHRUNK") ?? 12) }

    /// The file with a history to show.
    var file: String? { Self.environment["DUALGAUGE_PARITY_FILE"] }

    /// The file to which recordings are added.
    var recording: String? { Self.environment["DUALGAUGE_PARITY_RECORD"] }
}
