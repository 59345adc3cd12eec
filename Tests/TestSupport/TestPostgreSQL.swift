import Coordination
import Foundation

/// A PostgreSQL for the tests of this process.
///
/// It is started when a test needs it, in a temporary folder, and listens on a Unix socket alone. A shell watches over it: the shell reads from a
/// pipe that this process holds open, so it stops the server and removes the folder when this process ends, however it ends.
///
/// The variable `DUALGAUGE_POSTGRES` names another server instead, as `postgres://USER@HOST/DATABASE`.
package enum TestPostgreSQL {
    /// The reason why there is no server.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private static let server = Result {
        if let given = ProcessInfo.processInfo.environment["DUALGAUGE_POSTGRES"], !given.isEmpty { return given }
        return address(in: try start())
    }

    private static let secureServer = Result {
        let port = try freePort()
        let folder = try start(TestCertificates.first, listeningOn: port)
        return (folder: folder, port: port)
    }

    /// The address of a database in which tests may create schemas.
    package static func url() throws -> String { try server.get() }

    /// The address of a second server by TCP, which has a certificate for localhost. It is always started by the tests.
    ///
    /// - Parameters:
    ///   - host: The name of the host; it need not have an address.
    ///   - root: The authority that the client trusts.
    package static func secureURL(host: String = "localhost", trusting root: TestCertificates.PEM) throws -> String {
        let (folder, port) = try secureServer.get()
        let file = "\(folder)/\(UUID().uuidString).crt"
        try root.certificate.write(toFile: file, atomically: true, encoding: .utf8)
        return "postgres://dualgauge@\(host):\(port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(file)"
    }

    /// The address of a further server, for a test that changes a server's settings.
    package static func separate() throws -> String { address(in: try start()) }

    private static func address(in folder: String) -> String {
        "postgres://dualgauge@/postgres?host=\(folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? folder)"
    }

    /// Runs `body` with the address of a database of its own, and removes the database afterwards.
    package static func withDatabase(_ name: String, _ body: (_ url: String) async throws -> Void) async throws {
        let url = try url()
        try psql(url, "CREATE DATABASE \"\(name)\"")
        let result: Result<Void, any Error>
        do {
            let (base, query) = (url.prefix { $0 != "?" }, url.drop { $0 != "?" })
            result = .success(try await body(base[...(base.lastIndex(of: "/") ?? base.startIndex)] + name + query))
        } catch {
            result = .failure(error)
        }
        try psql(url, "DROP DATABASE \"\(name)\" WITH (FORCE)")
        try result.get()
    }

    /// Runs SQL by PostgreSQL's own client.
    package static func psql(_ url: String, _ sql: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "PATH=$PATH:\(try programs()) exec psql -qX -v ON_ERROR_STOP=1 -d \"$1\" -c \"$2\"", "sh", url, sql]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Missing(description: "psql refused: \(sql)") }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - identity: Its certificate; `nil` for a server without TLS.
    ///   - port: The TCP port of 127.0.0.1; 0 for a Unix socket alone.
    /// - Returns: Its folder, which has the socket.
    private static func start(_ identity: TestCertificates.PEM? = nil, listeningOn port: UInt16 = 0) throws -> String {
        let programs = try programs()
        let folder = NSTemporaryDirectory() + "dualgauge-postgres-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // PostgreSQL refuses to run as root.
        let asUser = getuid() == 0 ? "setpriv --reuid \(try unprivileged()) --regid nogroup --clear-groups" : ""
        if getuid() == 0 { chmod(folder, 0o777) }
        if let identity {
            try identity.certificate.write(toFile: folder + "/server.crt", atomically: true, encoding: .utf8)
            try identity.key.write(toFile: folder + "/server.key", atomically: true, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", programs, folder, asUser, port == 0 ? "" : "\(port)"]
        process.standardInput = Pipe()
        let errors = folder + "/errors"
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: errors)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        try wait(for: process, folder, errors)
        watcher.keep(process)
        return folder
    }

    /// Holds the pipe open for as long as this process lives.
    private static let watcher = Watcher()

    private final class Watcher: Sendable {
        private let processes = Lock<[Process]>([])
        func keep(_ process: sending Process) { processes.withLock { $0.append(process) } }
    }

    /// Durability is given up, because the data end with the process. `cat` ends with the pipe.
    private static let script = """
        programs=$1; folder=$2; as_user=$3; port=$4
        trap '' INT TERM HUP
        $as_user "$programs/initdb" -D "$folder/data" -U dualgauge -A trust -E UTF8 --locale=C --no-sync || exit 1
        if [ -n "$port" ]; then
          for file in server.crt server.key; do $as_user install -m 600 "$folder/$file" "$folder/data/$file" || exit 1; done
          set -- -c listen_addresses=127.0.0.1 -p "$port" -c ssl=on
        else
          set -- -c listen_addresses=
        fi
        $as_user "$programs/postgres" -D "$folder/data" -k "$folder" "$@" -c fsync=off -c full_page_writes=off \\
          -c synchronous_commit=off -c max_connections=500 -c autovacuum=off -c log_min_messages=fatal &
        server=$!
        cat > /dev/null
        kill -QUIT $server
        wait $server
        rm -rf "$folder"
        """

    /// The folder of `initdb` and `postgres`.
    private static func programs() throws -> String {
        let files = FileManager.default
        let versions = ((try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []).sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        let folders = versions.map { "/usr/lib/postgresql/\($0)/bin" } + path
        guard
            let found = folders.first(where: {
                files.isExecutableFile(atPath: $0 + "/initdb") && files.isExecutableFile(atPath: $0 + "/postgres")
            })
        else {
            throw Missing(
                description: """
                    PostgreSQL is not installed: there are no initdb and postgres in /usr/lib/postgresql/*/bin and in PATH. \
                    Run `make system`, or name a server in DUALGAUGE_POSTGRES.
                    """)
        }
        return found
    }

    /// A TCP port of 127.0.0.1 that nobody uses at present.
    private static func freePort() throws -> UInt16 {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { Glibc.close(handle) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, size) == 0 && getsockname(handle, $0, &size) == 0
            }
        }
        guard isBound else { throw Missing(description: "There is no free port for PostgreSQL.") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func unprivileged() throws -> String {
        for name in ["postgres", "nobody"] where getpwnam(name) != nil { return name }
        throw Missing(description: "PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody.")
    }

    /// Waits until the server writes that it is ready.
    private static func wait(for process: Process, _ folder: String, _ errors: String) throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline, process.isRunning {
            let state = try? String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
            if state?.split(separator: "\n").last?.hasPrefix("ready") == true { return }
            usleep(10_000)
        }
        let words = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        throw Missing(description: "PostgreSQL did not start: \(words.suffix(2_000))")
    }
}
