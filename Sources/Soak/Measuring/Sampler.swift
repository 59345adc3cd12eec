import Coordination
import Foundation

/// Samples the measured process once a second.
final class Sampler: Sendable {
    struct Sample {
        let process: pid_t
        let memory: Int
        let descriptors: Int

        /// `dualgauge_memory_used_bytes` and `dualgauge_memory_limit_bytes`; `nil` if `/metrics` did not respond.
        let account: Double?
        let accountLimit: Double?
    }

    private let world: World
    private let taken = Lock<[Sample]>([])

    var samples: [Sample] { taken.withLock { $0 } }

    init(_ world: World) {
        self.world = world
    }

    func run() async {
        while !Task.isCancelled {
            let process = world.server.process
            let state = ProcessSample(process)
            let metrics = await world.server.metrics()
            let sample = Sample(
                process: process, memory: state.memory, descriptors: state.descriptors, account: metrics["dualgauge_memory_used_bytes"],
                accountLimit: metrics["dualgauge_memory_limit_bytes"])
            // A killed process has no memory.
            if state.memory > 0 { taken.withLock { $0.append(sample) } }
            // The sampling interval.
            try? await suspend(for: .seconds(1))
        }
    }
}

/// The memory and the descriptors of a process at a point in time, from `/proc`.
struct ProcessSample {
    /// Resident memory in MiB.
    let memory: Int
    let descriptors: Int

    /// All values are 0 if the process does not exist.
    init(_ process: pid_t) {
        let statm = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        memory = (pages * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
        descriptors = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []).count
    }

    /// The hard limit of open files and connections for this process and its children.
    static var fileLimit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }

    /// Raises the soft limit to ``fileLimit``.
    static func raiseFileLimit() {
        var limit = rlimit(rlim_cur: rlim_t(fileLimit), rlim_max: rlim_t(fileLimit))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
