import BridgeConfiguration
import Foundation

/// Values of this process from `/proc`, for the metrics with names common to all Prometheus exporters.
struct ProcessFigures: Sendable {
    /// The start of the process, in seconds since 1970; `nil` where `/proc/self/stat` or `/proc/stat` cannot be read.
    let start: Double?

    /// The processor time of the process, in seconds.
    let processorTime: Double?

    /// The number of open files and connections.
    let openFiles: Int?

    init() {
        let stat = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)).map(Stat.init)
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        processorTime = stat?.ticks.map { Double($0) / ticks }
        let boot = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)).flatMap(Self.boot)
        start = stat?.start.flatMap { start in boot.map { Double($0) + Double(start) / ticks } }
        openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
    }

    /// The line `btime SECONDS` of `/proc/stat`.
    static func boot(_ text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst("btime ".count)) }
    }

    /// `/proc/self/stat`, see `proc(5)`.
    struct Stat {
        /// User and system time, in ticks of the clock.
        let ticks: Int?

        /// The start of the process, in ticks after the start of the system.
        let start: Int?

        init(_ text: String) {
            // The name in parentheses may contain spaces and parentheses.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst().map { Int($0) }
            // The first of the fields is field 3 of the manual.
            func field(_ number: Int) -> Int? { fields.indices.contains(number - 3) ? fields[number - 3] : nil }
            ticks = field(14).flatMap { user in field(15).map { user &+ $0 } }
            start = field(22)
        }
    }
}

/// The process's resident memory.
enum ResidentMemory {
    /// The size in bytes; `nil` if the system does not provide it (`/proc/self/statm`).
    static var current: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        let (bytes, isTooMuch) = pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE))))
        return isTooMuch ? nil : bytes
    }
}
