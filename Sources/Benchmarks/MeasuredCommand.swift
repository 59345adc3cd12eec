import Coordination
import Foundation

/// A command of the program in its own process, and its cost.
struct MeasuredCommand {
    struct Failed: Error {
        let command: String
        let status: Int32
    }

    let program: String
    let arguments: [String]

    /// Processor time in seconds.
    private(set) var processor = 0.0
    private(set) var wall = Duration.zero

    /// Peak resident memory in KiB.
    private(set) var memory = 0
    private(set) var wasKilled = false

    init(_ program: String, _ arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// Runs the command until it ends. Commands must not run concurrently, because the processor time is the sum of all child processes.
    ///
    /// - Parameter limit: Time after which it is killed, as by `kill -9`.
    /// - Throws: ``Failed`` if it fails otherwise.
    mutating func run(killedAfter limit: Duration? = nil) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        let end = Promise<Void, Never>()
        process.terminationHandler = { _ in end.resolve() }
        let before = Self.children()
        let start = ContinuousClock.now
        try process.run()
        let id = process.processIdentifier
        let watch = Task {
            var peak = 0
            // The peak is available only while the process exists.
            while !Task.isCancelled {
                peak = max(peak, Self.peak(of: id))
                if let limit, start.duration(to: .now) >= limit { kill(id, SIGKILL) }
                // `/proc` is polled, because the kernel sends no event when a peak is reached.
                try? await suspend(for: .milliseconds(limit == nil ? 20 : 1))
            }
            return peak
        }
        await end.value()
        wall = start.duration(to: .now)
        watch.cancel()
        memory = await watch.value
        processor = Self.children() - before
        wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard process.terminationStatus == 0 || wasKilled && limit != nil else {
            throw Failed(command: arguments.joined(separator: " "), status: process.terminationStatus)
        }
    }

    /// Peak resident size so far, in KiB.
    private static func peak(of id: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Processor seconds of all child processes that have ended.
    private static func children() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
