import Foundation

/// How a process ended, or that there was none.
package enum Ending: Hashable, Sendable {
    case exited(code: Int32)
    case signalled(Int32)
    /// The system could not start one, for want of memory for example; with the system's number of the error.
    case unstarted(Int32)

    /// Reads the status of `waitpid`.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: (status >> 8) & 0xff) : .signalled(signal)
    }

    /// The exit code by which a shell tells the same.
    var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        case .unstarted: 1
        }
    }

    /// Whether the process ended by a fault in itself: a trap, an abort, memory that is not there. Signals of operators and of the
    /// system, which kills where memory is short, are not.
    var isFault: Bool {
        guard case .signalled(let signal) = self else { return false }
        return [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS].contains(signal)
    }

    /// What operators read: `exit code 3`, `signal 5 (SIGTRAP)`.
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
