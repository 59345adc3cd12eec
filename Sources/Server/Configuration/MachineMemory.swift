import Foundation

/// The memory that the process may have: the machine's, or less where a container has less.
enum MachineMemory {
    /// In bytes.
    static let size: Int = {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].compactMap(limit)
        return limits.reduce(machine, min)
    }()

    /// What a file of the system says; `nil` where it is not there, or says `max`.
    private static func limit(_ file: String) -> Int? {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
}
