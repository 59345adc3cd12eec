import Foundation

/// The process's limit of open files, and the number of connections that clients may use of it.
///
/// A process at the limit cannot accept connections, retries in a busy loop, and cannot open its stores or connect to other servers.
struct OpenFiles: Equatable {
    /// Files reserved for other uses than clients' connections: libraries, logs, connections to other servers and to verifiers.
    private static let own = 96

    /// Files for each store: its file, log, index and lock on each of its connections, plus a reserve for a backup.
    private static let ofStore = 24

    /// Connections reserved for the admin port, which has to respond when the public port is full.
    static let admin = 64

    /// The most files that may be open.
    let limit: Int

    /// The process's present limit.
    static var current: OpenFiles {
        var limits = rlimit()
        return OpenFiles(limit: getrlimit(resource, &limits) == 0 ? Int(clamping: limits.rlim_cur) : .max)
    }

    /// Raises the process's limit as far as the system allows.
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

    /// The connections that the public port may have, with this number of databases.
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
