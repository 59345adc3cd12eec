import Foundation

/// The system cannot start the bridge's process.
package struct SpawnError: Error {
    let cause: POSIXError

    /// The problem, and what to do.
    package var message: String {
        "the bridge's process cannot be started: \(Ending.unstarted(cause.code.rawValue).reason). "
            + "Give the system more memory, processes or open files, or run without the supervisor (--no-supervisor)"
    }
}

/// A process that the supervisor started.
struct SupervisedProcess: Sendable {
    let id: pid_t

    /// The supervisor's end of the socket pair to the process.
    private let descriptor: Int32

    /// Starts this program as a supervised process.
    ///
    /// - Throws: `POSIXError`.
    init(arguments: [String], start: SupervisedStart, sockets: [ListeningSocket]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Descriptor.stream, 0, &ends) == 0 else { throw Descriptor.failure() }
        let own: Int32
        let given: Int32
        do {
            own = try Descriptor.moved(ends[0])
        } catch {
            close(ends[1])
            throw error
        }
        do {
            given = try Descriptor.moved(ends[1])
        } catch {
            close(own)
            throw error
        }
        defer { close(given) }
        descriptor = own
        var start = start
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, given, SupervisedStart.descriptor)
        var next = SupervisedStart.descriptor + 1
        for socket in sockets {
            posix_spawn_file_actions_adddup2(&actions, socket.descriptor, next)
            start.sockets[socket.name] = next
            next += 1
        }
        do {
            id = try Self.spawn(arguments, &actions, Self.environment(start))
        } catch {
            close(own)
            throw error
        }
    }

    /// Receives the messages of the process until it ends, and returns its ending. Blocks the thread.
    func watch(_ receive: (StartMessage) -> Void) -> Ending {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 || count == -1 && errno == EINTR else { break }
            guard count > 0 else { continue }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let message = StartMessage(line: String(decoding: rest[..<end], as: UTF8.self)) { receive(message) }
                rest.removeSubrange(...end)
            }
            if rest.count > StartMessage.longest { rest = [] }
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        close(descriptor)
        return Ending(waitStatus: status)
    }

    /// The settings of Swift's backtraces.
    ///
    /// A backtrace of all threads with source lines took most of a minute, during which nothing was served. Addresses alone, of the crashed thread,
    /// take a tenth of a second. With the addresses of the images, `llvm-symbolizer` finds the functions afterwards.
    private static let backtrace = "enable=yes,color=no,symbolicate=off,threads=crashed,limit=64,images=mentioned,registers=none"

    private static func environment(_ start: SupervisedStart) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment[SupervisedStart.variable] = start.json
        if environment["SWIFT_BACKTRACE"] == nil { environment["SWIFT_BACKTRACE"] = backtrace }
        return environment
    }

    private static func spawn(
        _ arguments: [String], _ actions: inout posix_spawn_file_actions_t, _ environment: [String: String]
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // With a process group of its own, the process receives Ctrl-C only through the supervisor. Signal mask and handlers are reset, because
        // threads of this program block signals, and the program ignores those that it forwards.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        posix_spawnattr_setpgroup(&attributes, 0)
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let argv = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + variables).forEach { free($0) } }
        var id: pid_t = 0
        // The executable of the running program, even if another file is at its path since then.
        let path = FileManager.default.fileExists(atPath: "/proc/self/exe") ? "/proc/self/exe" : arguments.first ?? ""
        let code = posix_spawnp(&id, path, &actions, &attributes, argv, variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        return id
    }
}

/// The ending of a process, or the failure to start it.
package enum Ending: Hashable, Sendable {
    case exited(code: Int32)
    case signalled(Int32)
    /// The system could not start the process, for example for lack of memory; with the error number.
    case unstarted(Int32)

    /// Decodes the status of `waitpid`.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: (status >> 8) & 0xff) : .signalled(signal)
    }

    /// The exit code that a shell reports for this ending.
    var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        case .unstarted: 1
        }
    }

    /// Whether a fault of the process itself ended it: a trap, an abort, or an invalid memory access.
    ///
    /// Signals from operators are not faults. Neither are those from the system, which kills processes when memory is short.
    var isFault: Bool {
        guard case .signalled(let signal) = self else { return false }
        return [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS].contains(signal)
    }

    /// A text for operators: `exit code 3`, `signal 5 (SIGTRAP)`.
    package var reason: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let signal): "signal \(signal)" + (Self.names[signal].map { " (\($0))" } ?? "")
        case .unstarted(let error): String(cString: strerror(error))
        }
    }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
        SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS",
    ]
}
