import Foundation

/// How many files and connections the system lets the process have open, and how many of them clients may take.
///
/// A process without any left can accept nobody, tries again all the time, and cannot open its own stores or connect to other servers.
struct OpenFiles: Equatable {
    /// For what is open besides clients' connections: libraries, logs, connections to other servers and to verifiers.
    private static let own = 96

    /// For each store: its file, log, index and lock on each of its connections, with room for a backup.
    private static let ofStore = 24

    /// Connections to the admin port, which has to answer when the public port is full.
    static let admin = 64

    /// The most that may be open.
    let limit: Int

    /// The process's limit as it is.
    static var current: OpenFiles {
        var limits = rlimit()
        return OpenFiles(limit: getrlimit(resource, &limits) == 0 ? Int(clamping: limits.rlim_cur) : .max)
    }

    /// Raises the process's limit as far as the system lets it.
    static func raised() -> OpenFiles {
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return OpenFiles(limit: .max) }
        let most = min(limits.rlim_max, 1 << 20)
        if limits.rlim_cur < most {
            var wanted = limits
            wanted.rlim_cur = most
            if setrlimit(resource, &wanted) == 0 { limits = wanted }
        }
        return OpenFiles(limit: Int(clamping: limits.rlim_cur))
    }

    /// Connections that the public port may have, beside so many databases.
    func connections(besides databases: Int) -> Int {
        let (stores, isTooMuch) = databases.multipliedReportingOverflow(by: Self.ofStore)
        let others = isTooMuch ? Int.max : Self.own + Self.admin + min(stores, .max / 2)
        return max(16, limit - min(others, limit))
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
