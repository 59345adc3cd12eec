import Foundation

/// The memory that the process may have: the machine's, or less where its control groups have less.
enum MachineMemory {
    /// In bytes.
    static let size: Int = {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return limitFiles(groups).compactMap(limit).reduce(machine, min)
    }()

    /// The files with the limits of a process's control groups and of those above them, of which each holds (cgroups(7)).
    ///
    /// A container sees its own group as the root. A service of systemd has a group of its own below it.
    ///
    /// - Parameter groups: `/proc/self/cgroup`, a line `ID:CONTROLLERS:PATH` a hierarchy; that of version 2 names no controllers.
    static func limitFiles(_ groups: String) -> [String] {
        var files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let (root, name): (String, String)
            if parts[1].isEmpty {
                (root, name) = ("/sys/fs/cgroup", "memory.max")
            } else if parts[1].split(separator: ",").contains("memory") {
                (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            } else {
                continue
            }
            var folder = root
            for component in parts[2].split(separator: "/") where component != ".." {
                folder += "/\(component)"
                files.append("\(folder)/\(name)")
            }
        }
        return files
    }

    /// What a file of the system says; `nil` where it is not there, or says `max`.
    private static func limit(_ file: String) -> Int? {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
}
