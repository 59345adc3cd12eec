import Foundation

/// Bounds on what clients may ask of the ports, all databases together.
package struct ServerLimits: Hashable, Sendable {
    /// A 1.x client's JSON body, in bytes, decompressed; more is 413.
    package var requestSize = 64 << 20

    /// Documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys; more is 413.
    package var documents = 20_000

    /// Longpoll, continuous, eventsource and WebSocket feeds that one user may have open at a time; more is 429, or 503 for Couchbase Lite.
    package var openFeeds = 1_000

    /// Requests a second that one user may send; more is 429, or 503 for Couchbase Lite. `nil` for any number.
    package var requestRate: Int?

    /// Connections to one port at a time; further ones wait.
    package var connections = 10_000

    /// Bytes of all clients' data in memory at a time: bodies of requests, unfinished messages, what waits to be written or sent. Of what is more, the client with most
    /// gives way: 503, or its connection is dropped. By default a quarter of what the machine or the container has, and enough for one of the largest
    /// requests.
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
