import Foundation
import Synchronization

/// The line of a process to its supervisor. In a process without a supervisor it does nothing.
///
/// The process ends with its supervisor: after `kill -9` of the program that was started, no part of it runs on.
package final class SupervisorConnection: Sendable {
    /// What the supervisor has told; that of a first start where there is none.
    package let start: SupervisedStart

    /// -1 where there is no supervisor.
    private let descriptor: Int32
    private let writing = Mutex(())

    /// Is told what the supervisor would be told, where there is none.
    private let manager: ServiceManager?

    /// Parts that were held back or suspects at the start of this process, and are not settled since.
    private let doubts: Mutex<(held: Set<StartPart>, suspects: Set<StartPart>)>

    /// The line of a process without a supervisor.
    package convenience init(manager: ServiceManager? = nil) {
        self.init(SupervisedStart(), descriptor: -1, manager: manager)
    }

    init(_ start: SupervisedStart, descriptor: Int32, manager: ServiceManager? = nil) {
        self.start = start
        self.descriptor = descriptor
        self.manager = manager
        doubts = Mutex((start.held, start.suspects))
    }

    /// Takes up the line that this process has inherited; `nil` without a supervisor. To be called once, before other threads are there.
    package static func inherited() -> SupervisorConnection? {
        guard let text = ProcessInfo.processInfo.environment[SupervisedStart.variable], let start = SupervisedStart(json: text) else {
            return nil
        }
        // Programs that this one starts are not supervised, and inherit nothing.
        unsetenv(SupervisedStart.variable)
        for descriptor in [SupervisedStart.line] + start.sockets.values { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let line = SupervisorConnection(start, descriptor: SupervisedStart.line)
        line.endWithSupervisor()
        return line
    }

    package var isSupervised: Bool { descriptor >= 0 }

    /// The parts that are not started, because they have ended the process twice.
    package var held: Set<StartPart> { doubts.withLock(\.held) }

    package func isHeld(_ part: StartPart) -> Bool { doubts.withLock { $0.held.contains(part) } }

    /// Whether a part may have ended the last process, so that it is started alone.
    package func isSuspect(_ part: StartPart) -> Bool { doubts.withLock { $0.suspects.contains(part) } }

    /// A part of the start begins.
    package func begin(_ part: StartPart) {
        send(.begin(part))
        #if DEBUG
            Trap.spring(at: part)
        #endif
    }

    /// A part of the start is over, whatever came of it. It is neither held back nor a suspect from now on.
    package func settle(_ part: StartPart) {
        doubts.withLock { doubts in
            doubts.held.remove(part)
            doubts.suspects.remove(part)
        }
        send(.settle(part))
    }

    /// A part was started on request, or is gone: if it was held back, it is so no more, here and in the next process.
    package func release(_ part: StartPart) {
        if isHeld(part) { settle(part) }
    }

    /// The process serves.
    package func serve() {
        send(.serving)
        manager?.tell(.ready)
    }

    /// The process stops, because it was told to.
    package func stop() { manager?.tell(.stopping) }

    /// Tells every few seconds that the process does its work, until the task is cancelled.
    package func beat() async {
        guard isSupervised || manager != nil else { return }
        while !Task.isCancelled {
            pulse()
            manager?.tell(.alive)
            // The time between two pulses. A process that hangs is silent.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Tells the supervisor, unless it has not read for so long that the line is full: this thread is not to wait for it.
    private func pulse() {
        guard isSupervised else { return }
        let bytes = Array(StartMessage.alive.line.utf8)
        writing.withLock { _ in _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT)) }
    }

    /// Half of the shortest time that a watchdog may have.
    private static let interval = Duration.seconds(5)

    private func send(_ notice: StartMessage) {
        guard isSupervised, notice.line.utf8.count <= StartMessage.longest else { return }
        writing.withLock { _ in
            var rest = Array(notice.line.utf8)[...]
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
    /// Ends the process by a trap, as a fault of the program would; in debug builds only.
    ///
    /// It shows what becomes of clients, documents and the log then.
    package enum Trap {
        /// The variable that names a file. The part of the start whose description the file holds, `database shop` for example, ends the
        /// process.
        private static let variable = "DUALGAUGE_TRAP"

        package static func spring() {
            let nothing: [Int] = []
            // Beyond the end, on purpose.
            withExtendedLifetime(nothing[nothing.count]) {}
        }

        static func spring(at part: StartPart) {
            guard let file = ProcessInfo.processInfo.environment[variable] else { return }
            if (try? String(contentsOfFile: file, encoding: .utf8)) == part.description { spring() }
        }
    }
#endif
