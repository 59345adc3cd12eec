import Foundation

/// A command of the program in a process of its own, and what it took.
struct MeasuredCommand {
    struct Failed: Error {
        let command: String
        let status: Int32
    }

    let program: String
    let arguments: [String]

    /// In seconds, of the processor.
    private(set) var processor = 0.0
    private(set) var wall = Duration.zero

    /// The most that was resident, in KiB.
    private(set) var memory = 0
    private(set) var wasKilled = false

    init(_ program: String, _ arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// Runs it to its end. One at a time, or the processor time is that of all.
    ///
    /// - Parameter limit: when it is killed, as by `kill -9`.
    /// - Throws: ``Failed`` if it ends otherwise than well.
    mutating func run(killedAfter limit: Duration? = nil) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in
            end.yield()
            end.finish()
        }
        let before = Self.children()
        let start = ContinuousClock.now
        try process.run()
        let id = process.processIdentifier
        let watch = Task {
            var peak = 0
            // Only the process itself knows its peak, as long as it lives.
            while !Task.isCancelled {
                peak = max(peak, Self.peak(of: id))
                if let limit, start.duration(to: .now) >= limit { kill(id, SIGKILL) }
                // `/proc` is read at intervals: the kernel tells nobody that a peak was reached.
                try? await Task.sleep(for: .milliseconds(limit == nil ? 20 : 1))
            }
            return peak
        }
        for await _ in ends {}
        wall = start.duration(to: .now)
        watch.cancel()
        memory = await watch.value
        processor = Self.children() - before
        wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard process.terminationStatus == 0 || wasKilled && limit != nil else {
            throw Failed(command: arguments.joined(separator: " "), status: process.terminationStatus)
        }
    }

    /// The largest resident size so far, in KiB.
    private static func peak(of id: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Processor seconds of processes that were started here and have ended.
    private static func children() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
