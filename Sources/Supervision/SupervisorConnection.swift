import Coordination
import Foundation

/// The connection of a process to its supervisor. Without a supervisor its functions have no effect, except that they notify the service manager.
///
/// The process ends with its supervisor: after `kill -9` of the supervisor, no process remains.
package final class SupervisorConnection: Sendable {
    /// The parameters from the supervisor; those of a first start without a supervisor.
    package let start: SupervisedStart

    /// The connection's descriptor; -1 without a supervisor.
    private let descriptor: Int32
    private let writing = Lock(())

    /// The service manager to notify if there is no supervisor, which otherwise does that.
    private let manager: ServiceManager?

    /// The parts that were held back or suspects at the start of this process, and have not finished since.
    private let parts: Lock<(held: Set<StartPart>, suspects: Set<StartPart>)>

    /// Creates the connection of a process without a supervisor.
    package convenience init(manager: ServiceManager? = nil) {
        self.init(SupervisedStart(), descriptor: -1, manager: manager)
    }

    init(_ start: SupervisedStart, descriptor: Int32, manager: ServiceManager? = nil) {
        self.start = start
        self.descriptor = descriptor
        self.manager = manager
        parts = Lock((start.held, start.suspects))
    }

    /// The connection that this process has inherited; `nil` without a supervisor. Call it once, before other threads exist.
    package static func inherited() -> SupervisorConnection? {
        guard let text = ProcessInfo.processInfo.environment[SupervisedStart.variable], let start = SupervisedStart(json: text) else {
            return nil
        }
        // Processes that this one starts are not supervised, and inherit neither the variable nor the descriptors.
        unsetenv(SupervisedStart.variable)
        for descriptor in [SupervisedStart.descriptor] + start.sockets.values { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let connection = SupervisorConnection(start, descriptor: SupervisedStart.descriptor)
        connection.endWithSupervisor()
        return connection
    }

    package var isSupervised: Bool { descriptor >= 0 }

    /// The parts that are not started, because they crashed the process twice.
    package var held: Set<StartPart> { parts.withLock(\.held) }

    package func isHeld(_ part: StartPart) -> Bool { parts.withLock { $0.held.contains(part) } }

    /// Whether a part may have crashed the previous process, so that it is started alone.
    package func isSuspect(_ part: StartPart) -> Bool { parts.withLock { $0.suspects.contains(part) } }

    /// Reports that a part of the start begins.
    package func begin(_ part: StartPart) {
        send(.begin(part))
        #if DEBUG
            Trap.spring(at: part)
        #endif
    }

    /// Reports that a part of the start has finished, with or without success. The part is no suspect, and is not held back.
    package func settle(_ part: StartPart) {
        parts.withLock { parts in
            parts.held.remove(part)
            parts.suspects.remove(part)
        }
        send(.settle(part))
    }

    /// Releases a part that was started on request or removed: it is not held back in this process or the next one.
    package func release(_ part: StartPart) {
        if isHeld(part) { settle(part) }
    }

    /// Reports that both ports are served.
    package func serve() {
        send(.serving)
        manager?.notify(.ready)
    }

    /// Reports that the process stops on request, and serves on for a number of seconds before.
    package func drain(seconds: Int) {
        send(.draining(seconds))
        manager?.extendStop(by: seconds)
    }

    /// Notifies the service manager that the process stops on request.
    package func stop() { manager?.notify(.stopping) }

    /// Reports every few seconds that the process is alive, until the task is cancelled.
    package func sendHeartbeats() async {
        guard isSupervised || manager != nil else { return }
        while !Task.isCancelled {
            sendHeartbeat()
            manager?.notify(.alive)
            // Only the sleep is between two heartbeats, so that a process that hangs sends none.
            try? await suspend(for: Self.interval)
        }
    }

    /// Sends a heartbeat to the supervisor. Drops it if the socket's buffer is full, so that the thread does not block.
    private func sendHeartbeat() {
        guard isSupervised else { return }
        let bytes = Array(StartMessage.alive.line.utf8)
        writing.withLock { _ in _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)) }
    }

    /// Half of the shortest supported watchdog interval.
    private static let interval = Duration.seconds(5)

    private func send(_ message: StartMessage) {
        guard isSupervised, message.line.utf8.count <= StartMessage.longest else { return }
        writing.withLock { _ in
            var rest = Array(message.line.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    private func endWithSupervisor() {
        Thread.detachNewThread { [descriptor] in
            Descriptor.awaitEnd(descriptor)
            kill(getpid(), SIGKILL)
        }
    }
}

#if DEBUG
    /// Crashes the process by a trap, like a fault in the program; in debug builds only.
    ///
    /// Tests use it to check the effects of a crash on clients, documents and the log.
    package enum Trap {
        /// The environment variable that names a file. A part of the start crashes the process if the file contains its description, such as
        /// `database shop`.
        private static let variable = "DUALGAUGE_TRAP"

        package static func spring() {
            let nothing: [Int] = []
            // An intentional out-of-bounds access.
            withExtendedLifetime(nothing[nothing.count]) {}
        }

        static func spring(at part: StartPart) {
            guard let file = ProcessInfo.processInfo.environment[variable] else { return }
            if (try? String(contentsOfFile: file, encoding: .utf8)) == part.description { spring() }
        }
    }
#endif
