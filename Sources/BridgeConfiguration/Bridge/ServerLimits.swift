import Foundation

/// Limits on clients of the ports, for all databases together.
package struct ServerLimits: Hashable, Sendable {
    /// The size of a 1.x client's JSON body in bytes, decompressed; a larger body gets 413.
    package var requestSize = 64 << 20

    /// Documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys; a longer list gets 413.
    package var documents = 20_000

    /// Open longpoll, continuous, eventsource and WebSocket feeds per user; a further feed gets 429, or 503 for Couchbase Lite.
    package var openFeeds = 1_000

    /// Requests a second per user; a further request gets 429, or 503 for Couchbase Lite. `nil` for no limit.
    package var requestRate: Int?

    /// Open connections per port; further connections wait.
    package var connections = 10_000

    /// Client data in memory, in bytes: request bodies, unfinished messages, and output that waits to be written or sent.
    ///
    /// Beyond the limit, the client that holds most gets 503 or loses its connection. The default is a quarter of the memory of the machine or
    /// container, but at least enough for one of the largest requests.
    package var memory = max(MachineMemory.size / 4, 160 << 20)

    package init() {}
}

extension ServerLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["requestSize", "documents", "openFeeds", "requestRate", "connections", "memory"])
        members["requestSize"]?.read { requestSize = try $0.size(in: 1024...(1 << 30)) }
        members["documents"]?.read { documents = try $0.int(in: 1...1_000_000) }
        members["openFeeds"]?.read { openFeeds = try $0.int(in: 1...1_000_000) }
        members["requestRate"]?.read { requestRate = try $0.int(in: 1...1_000_000) }
        members["memory"]?.read { memory = try $0.size(in: (16 << 20)...(1 << 46)) }
        members["connections"]?.read { connections = try $0.int(in: 1...1_000_000) }
    }
}

/// The memory available to the process: the machine's, or the limit of its control groups if that is lower.
enum MachineMemory {
    /// The size in bytes.
    static let size: Int = {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return limitFiles(groups).compactMap(limit).reduce(machine, min)
    }()

    /// The limit files of a process's control groups and of all their ancestors; each limit applies (cgroups(7)).
    ///
    /// A container sees its own group as the root. A systemd service has its own group below the root.
    ///
    /// - Parameter groups: the contents of `/proc/self/cgroup`: one line `ID:CONTROLLERS:PATH` per hierarchy, without controllers for version 2.
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

    /// Reads a limit file; `nil` if the file does not exist or contains `max`.
    private static func limit(_ file: String) -> Int? {
        (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
}
