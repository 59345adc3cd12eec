import Foundation

/// The settings of a run beside a Sync Gateway, from the environment.
struct ParitySettings: Sendable {
    private static let environment = ProcessInfo.processInfo.environment

    private static func number(_ key: String) -> UInt64? { environment[key].flatMap { UInt64($0) } }

    /// The dialect of the histories.
    var seeds: Range<UInt64> {
        let first = Self.number("DUALGAUGE_PARITY_SEED") ?? 1
        return first..<(first + (Self.number("DUALGAUGE_PARITY_HISTORIES") ?? 100))
    }

    /// The number of concurrent histories.
    var width: Int { Int(Self.number("DUALGAUGE_PARITY_WIDTH") ?? 6) }

    /// The number of differences that are reduced; others are reported by their seeds.
    var shrunk: Int { Int(Self.number("DUALGAUGE_PARITY_SHRUNK") ?? 12) }

    /// The file with a history to print.
    var file: String? { Self.environment["DUALGAUGE_PARITY_FILE"] }

    /// The file to which recordings are appended.
    var recording: String? { Self.environment["DUALGAUGE_PARITY_RECORD"] }
}
